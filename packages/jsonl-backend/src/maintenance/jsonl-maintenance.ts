import { join } from 'node:path'
import type { BackendVerifyReport, Maintenance, MaintenanceOptions, Problem, Sizes } from '@turnlog/core/backend'
import type { StoreError } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import type { Listed } from '../catalogue/listed.ts'
import type { OpenFile } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { decodeFileName, SESSION_SUFFIX } from '../format/file-name.ts'
import { toStoreError } from '../format/to-store-error.ts'
import type { OpenDirectory } from '../open-directory.ts'
import type { OpenSnapshot, Sessions } from '../session/sessions.ts'
import { belongsTo } from '../session/set-aside.ts'
import { verifyFile } from './verify-file.ts'

/** Work on the files of an open directory. */
export function jsonlMaintenance(directory: OpenDirectory, sessions: Sessions): Omit<Maintenance, 'repair'> {
  return {
    verify: (options) => verify(directory, sessions, options),
    reclaim: (options) => reclaim(directory, sessions, options),
    sizes: () => sizes(directory),
  }
}

async function verify(
  directory: OpenDirectory,
  sessions: Sessions,
  options: MaintenanceOptions = {},
): Promise<BackendVerifyReport> {
  const problems: Problem[] = []
  let events = 0
  let bytes = 0
  if (directory.readOnly) await directory.catalogue.refresh({ alone: false, lossy: false })
  const listed = await chosen(directory, options)
  await forEach(listed, options, async ({ session, name }) => {
    const verdict = await verifyOne(directory, sessions, { session, name })
    events += verdict.events
    bytes += verdict.bytes
    problems.push(...verdict.problems)
  })
  if (options.session === undefined) {
    for (const error of directory.catalogue.unnamed) problems.push(toProblem(error))
    for (const name of await directory.fileSystem.list(directory.directory)) {
      if (name.endsWith(SESSION_SUFFIX) && decodeFileName(name) === undefined) {
        const message = 'The name of the file is not one of a session, so it is ignored.'
        problems.push({ message, file: join(directory.directory, name) })
      }
    }
  }
  return { sessions: listed.length, events, bytes, problems }
}

async function reclaim(
  directory: OpenDirectory,
  sessions: Sessions,
  options: MaintenanceOptions = {},
): Promise<{ readonly bytesFreed: number }> {
  let bytesFreed = 0
  await forEach(await chosen(directory, options), options, async ({ session }) => {
    bytesFreed += await sessions.writer(session).reclaim()
  })
  return { bytesFreed }
}

async function sizes({ fileSystem, directory, catalogue }: OpenDirectory): Promise<Sizes> {
  const names = (await fileSystem.list(directory)).filter((name) => catalogue.has(name) || isOurs(name))
  const stats = await fileSystem.stat(directory, names)
  return { bytes: stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0), files: names.length }
}

async function forEach(
  listed: readonly Listed[],
  { signal, onProgress }: MaintenanceOptions,
  work: (listed: Listed) => Promise<void>,
): Promise<void> {
  for (const [index, one] of listed.entries()) {
    signal?.throwIfAborted()
    await work(one)
    onProgress?.(index + 1, listed.length)
  }
}

interface Verdict {
  readonly events: number
  readonly bytes: number
  readonly problems: readonly Problem[]
}

async function verifyOne(directory: OpenDirectory, sessions: Sessions, { session, name }: Listed): Promise<Verdict> {
  const path = join(directory.directory, name)
  try {
    let opened: OpenSnapshot | undefined
    try {
      // The file and what is committed in it must belong together, and it may be rewritten at any moment.
      opened = await sessions.snapshot(session)
    } catch (error) {
      if (!isStoreError(error) || error.code === 'IO') throw error
      return await verifyDamaged(directory, path, session, toProblem(error))
    }
    if (opened === undefined) return { events: 0, bytes: 0, problems: [] }
    const { lease, snapshot } = opened
    try {
      const { size, head } = snapshot.committed
      const { size: bytes } = lease.file.stat()
      const verdict = await verifyFile(lease.file, path, { session, size: Math.min(bytes, size), first: head.first })
      return { ...verdict, bytes }
    } finally {
      lease.release()
    }
  } catch (error) {
    throw toStoreError(error, 'verify', path, session)
  }
}

/** Every line of a file that cannot be used, and why it cannot. */
async function verifyDamaged(
  { fileSystem }: OpenDirectory,
  path: string,
  session: string,
  problem: Problem,
): Promise<Verdict> {
  let file: OpenFile
  try {
    file = await fileSystem.open(path, { access: 'read' })
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return { events: 0, bytes: 0, problems: [problem] }
  }
  try {
    const { size } = file.stat()
    const { events, problems } = await verifyFile(file, path, { session, size, first: 1 })
    // What opening found and what the lines tell is often the same thing.
    const isTold = problems.some(({ line }) => line === problem.line)
    return { events, bytes: size, problems: isTold ? problems : [problem, ...problems] }
  } finally {
    await file.close()
  }
}

async function chosen({ catalogue }: OpenDirectory, { session }: MaintenanceOptions): Promise<readonly Listed[]> {
  const all = await catalogue.list()
  return session === undefined ? all : all.filter((listed) => listed.session === session)
}

function toProblem({ message, session, seq, file, line }: StoreError): Problem {
  return {
    message,
    ...(session === undefined ? {} : { session }),
    ...(seq === undefined ? {} : { seq }),
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
  }
}

function isOurs(name: string): boolean {
  if (name.startsWith('turnlog.') || decodeFileName(name) !== undefined) return true
  const session = name.slice(0, name.lastIndexOf('.'))
  return decodeFileName(session) !== undefined && belongsTo(session, name)
}
