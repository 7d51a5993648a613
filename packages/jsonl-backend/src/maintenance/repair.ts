import { join } from 'node:path'
import type { Problem, RepairOptions, RepairReport } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import type { SidecarContent } from '../session-index/sidecar.ts'
import { eraseFromSidecar, loadSidecar } from '../session-index/sidecar.ts'
import type { FileSystem } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { replaceFile } from '../file-system/replace-file.ts'
import { writeAll } from '../file-system/write-all.ts'
import { decodeFileName, encodeFileName } from '../format/file-name.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import { DirectoryLock } from '../lock/directory-lock.ts'
import type { Environment } from '../open/open-directory.ts'
import type { Committed } from '../format/committed.ts'
import { copyAside } from '../recovery/set-aside.ts'
import { planRepair } from './plan-repair.ts'

/** Inspects every file, and repairs it if `apply` is set. The damaged original is kept beside it. */
export async function repair(
  { fileSystem, host }: Environment,
  path: string,
  options: RepairOptions,
): Promise<RepairReport> {
  const { apply = false, signal } = options
  try {
    const directory = await fileSystem.realPath(path)
    const lock = apply ? await DirectoryLock.acquire(fileSystem, directory, host) : undefined
    try {
      return await repairAll(fileSystem, directory, options)
    } finally {
      await lock?.release()
    }
  } catch (error) {
    if (isStoreError(error) || signal?.aborted === true) throw error
    throw toStoreError(error, 'repair', path)
  }
}

async function repairAll(
  fileSystem: FileSystem,
  directory: string,
  { apply = false, session, signal, onProgress }: RepairOptions,
): Promise<RepairReport> {
  const only = session === undefined ? undefined : encodeFileName(session)
  const isWanted = (name: string): boolean => only === undefined || name === only
  const names = (await fileSystem.list(directory)).filter(
    (name) => decodeFileName(name) !== undefined && isWanted(name),
  )
  const known = await loadSidecar(fileSystem, directory)
  const actions: Problem[] = []
  const backups: string[] = []
  const lastByName = new Map<string, number>()
  /** Files that are not, or will not be, as the sidecar remembers them. */
  const changed = new Set<string>()
  for (const [index, name] of names.toSorted().entries()) {
    signal?.throwIfAborted()
    const repaired = await repairFile(fileSystem, directory, name, remembered(known, name), apply)
    actions.push(...repaired.actions)
    if (repaired.backup !== undefined) backups.push(repaired.backup)
    if (repaired.isChanged) changed.add(name)
    lastByName.set(name, repaired.last)
    onProgress?.(index + 1, names.length)
  }
  for (const name of known?.known.keys() ?? []) {
    const committed = isWanted(name) ? remembered(known, name) : undefined
    const last = lastByName.get(name) ?? 0
    if (committed === undefined || committed.head.last <= last) continue
    const message = `Accept that the session ends with event ${last}, although event ${committed.head.last} had been recorded.`
    actions.push({ message, session: committed.session, seq: last + 1, file: join(directory, name) })
    changed.add(name)
  }
  if (apply && known !== undefined) {
    // What it remembers of the others proves that they are whole, or is the only trace of a missing one.
    for (const name of changed) await eraseFromSidecar(fileSystem, directory, name)
  }
  const [backup] = backups.length > 1 ? [directory] : backups
  return { applied: apply, actions, ...(backup === undefined ? undefined : { backup }) }
}

interface RepairedFile {
  readonly actions: readonly Problem[]
  readonly last: number
  readonly isChanged: boolean
  readonly backup?: string
}

async function repairFile(
  fileSystem: FileSystem,
  directory: string,
  name: string,
  known: Committed | undefined,
  apply: boolean,
): Promise<RepairedFile> {
  const path = join(directory, name)
  const file = await fileSystem.open(path, { access: 'read' })
  try {
    const { actions, last, pieces } = await planRepair(file, path, name, known)
    const all = [...actions]
    if (pieces === undefined) all.push({ message: 'Set the file aside: nothing in it can be kept.', file: path })
    const isChanged = all.length > 0
    if (!apply || !isChanged) return { actions: all, last, isChanged }
    const backup = await copyAside(fileSystem, path, file, 0, 'damaged')
    if (pieces === undefined) await removeIfThere(fileSystem, path)
    else await writeRepaired(fileSystem, path, pieces())
    await fileSystem.syncDirectory(directory)
    return { actions: all, last, isChanged, backup }
  } catch (error) {
    if (!isStoreError(error, 'UNSUPPORTED')) throw error
    const message = `Leave the file alone. ${error.message}`
    return { actions: [{ message, file: path }], last: Infinity, isChanged: false }
  } finally {
    await file.close()
  }
}

function remembered(sidecar: SidecarContent | undefined, name: string): Committed | undefined {
  const known = sidecar?.known.get(name)
  return known === undefined ? undefined : (JSON.parse(known.text) as Committed)
}

async function writeRepaired(fileSystem: FileSystem, path: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const file = await replaceFile(fileSystem, path, false, async (target) => {
    let position = 0
    for await (const piece of pieces) {
      await writeAll(target, piece, position)
      position += piece.length
    }
    await target.sync()
  })
  await file.close()
}
