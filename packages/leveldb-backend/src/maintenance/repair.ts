import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { Problem, RepairOptions, RepairReport } from '@turnlog/core/backend'
import { makeTemporaryDirectory, syncDirectory } from '@turnlog/storage-kit'

import { examineDirectory } from '../open/examine-directory.ts'
import type { Examined } from '../open/examine-directory.ts'
import { existingDirectory, noStore } from '../open/existing-directory.ts'
import { abandonedRepairs, damagedPath, refuseUnfinishedRepair, repairedPath } from '../open/unfinished-repair.ts'
import { fromLevel } from '../database/to-store-error.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { LOCK_FILE } from '../lock/claims.ts'
import { StoreLock } from '../lock/store-lock.ts'
import { putInPlace, refuseMountPoint } from './put-in-place.ts'
import { rebuildStore } from './rebuild-store.ts'

/**
 * Makes a store anew from every row that is whole, in a directory beside it, and then puts it in its place. LevelDB's own
 * repair is never used: it ignores checksums and takes no lock. The damaged directory is kept as it was, and one in which
 * nothing is wrong stays where it is.
 *
 * @throws `NOT_FOUND`, `CORRUPT`, `LOCKED`, `UNSUPPORTED`, `INVALID_CONFIG`, `INVALID_ARGUMENT`, `IO`
 */
export async function repairStore(options: CheckedOptions, request: RepairOptions): Promise<RepairReport> {
  const { apply = false, session, signal, onProgress } = request
  signal?.throwIfAborted()
  if (session !== undefined) throw onlyWhole(session)
  const directory = existingDirectory(options.path)
  if (apply) refuseMountPoint(directory)
  const lock = await StoreLock.acquire(directory)
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  let made: string | undefined
  try {
    const damage = await findDamage(directory, options.path)
    if (apply) for (const left of abandonedRepairs(directory)) rmSync(left, { recursive: true, force: true })
    made = apply ? repairedPath(directory, time) : makeTemporaryDirectory('repair')
    mkdirSync(made, { recursive: true, mode: 0o700 })
    const actions: Problem[] = []
    const onAction = (action: Problem): void => void actions.push(action)
    await rebuildStore(directory, made, options, { onAction, signal, onProgress })
    // Whatever opening refuses must not be said to be nothing.
    if (actions.length === 0 && damage !== undefined) actions.push(damage)
    if (!apply || actions.length === 0) return { applied: apply, actions }
    signal?.throwIfAborted()
    const backup = damagedPath(directory, time)
    syncDirectory(made)
    putInPlace(made, directory, backup)
    rmSync(join(backup, LOCK_FILE), { force: true })
    return { applied: true, actions, backup }
  } catch (error) {
    if (isStoreError(error) || signal?.aborted === true) throw error
    throw fromLevel(error, 'repair the store', directory)
  } finally {
    // Where nothing could be put back it stays: as long as both are there, nobody makes an empty store.
    if (made !== undefined && existsSync(directory)) rmSync(made, { recursive: true, force: true })
    lock.release()
  }
}

/** What opening would say of the files. @throws `NOT_FOUND`, `CORRUPT`, `UNSUPPORTED`, `INVALID_CONFIG`, `IO` */
async function findDamage(directory: string, path: string): Promise<Problem | undefined> {
  let examined: Examined
  try {
    examined = await examineDirectory(directory)
  } catch (error) {
    if (!isStoreError(error, 'CORRUPT')) throw error
    const { message, file } = error
    return { message, ...(file === undefined ? {} : { file }) }
  }
  if (examined.kind === 'existing') return undefined
  refuseUnfinishedRepair(directory)
  throw noStore(path)
}

function onlyWhole(session: string): StoreError {
  return new StoreError(
    'INVALID_ARGUMENT',
    `Cannot repair session ${JSON.stringify(session)} alone: LevelDB keeps all sessions in the same files. Repair the whole store.`,
    { session },
  )
}
