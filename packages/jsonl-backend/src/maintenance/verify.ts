import { join } from 'node:path'
import type { BackendVerifyReport, MaintenanceOptions, Problem } from '@turnlog/core/backend'
import { isStoreError, problemOf } from '@turnlog/core/backend'
import type { Listed } from '../session-index/listed.ts'
import type { OpenFile } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { decodeFileName, SESSION_SUFFIX } from '../format/file-name.ts'
import type { OpenDirectory } from '../open/open-directory.ts'
import type { OpenSnapshot, Sessions } from '../sessions/sessions.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import { eachSession } from './each-session.ts'
import type { FileVerdict } from './verify-file.ts'
import { verifyFile } from './verify-file.ts'

/** Reads every line of every file. */
export async function verify(
  directory: OpenDirectory,
  sessions: Sessions,
  options: MaintenanceOptions = {},
): Promise<BackendVerifyReport> {
  const problems: Problem[] = []
  let events = 0
  let bytes = 0
  if (directory.readOnly) await directory.sessionIndex.refresh({ hasNoWriter: false, mayHaveLost: false })
  const sessionCount = await eachSession(directory, options, async ({ session, name }) => {
    const verdict = await verifyOne(directory, sessions, { session, name })
    events += verdict.events
    bytes += verdict.bytes
    problems.push(...verdict.problems)
  })
  if (options.session === undefined) {
    for (const error of directory.sessionIndex.unnamed) problems.push(problemOf(error))
    for (const name of await directory.fileSystem.list(directory.directory)) {
      if (name.endsWith(SESSION_SUFFIX) && decodeFileName(name) === undefined) {
        const message = 'The name of the file is not one of a session, so it is ignored.'
        problems.push({ message, file: join(directory.directory, name) })
      }
    }
  }
  return { sessions: sessionCount, events, bytes, problems }
}

interface Verdict extends FileVerdict {
  readonly bytes: number
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
      return await verifyDamaged(directory, path, session, problemOf(error))
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

/** Reads every line of a file that cannot be opened. */
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
    // Opening often finds the same problem as reading the lines.
    const isReported = problems.some(({ line }) => line === problem.line)
    return { events, bytes: size, problems: isReported ? problems : [problem, ...problems] }
  } finally {
    await file.close()
  }
}
