import { join } from 'node:path'
import type { OpenFinding, StoreError } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import type { FileSystem, OpenFile } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { corrupt, missingFile } from '../format/corrupt.ts'
import type { Inspection } from '../recovery/inspect-file.ts'
import { inspectFile } from '../recovery/inspect-file.ts'
import { copyAside } from '../recovery/set-aside.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import type { IndexOptions, ScanMode } from './session-index.ts'
import type { Entry, LastAcknowledged } from './entry.ts'
import { lastAcknowledgedOf, parseCommitted } from './entry.ts'

export interface IndexedFile {
  /** `undefined`: there is no such session. */
  readonly entry: Entry | undefined
  readonly findings: readonly OpenFinding[]
}

const NOTHING_SURE: LastAcknowledged = { last: 0, incarnation: '' }

/**
 * Reads what a file holds, and compares it with what was known of it. The owner cuts off an unfinished final batch, which
 * is kept in a file beside it. Never rejects: a failure is in the entry.
 */
export async function indexFile(
  options: IndexOptions,
  name: string,
  old: Entry | undefined,
  scanMode: ScanMode,
): Promise<IndexedFile> {
  const path = join(options.directory, name)
  try {
    return await recover(options, path, name, old, scanMode)
  } catch (error) {
    // Keep what is known: it proves that something was lost.
    const failed = (failure: StoreError): IndexedFile => ({
      entry: {
        stat: old?.stat,
        committed: old?.committed,
        lastAcknowledged: old?.lastAcknowledged,
        error: failure,
        saved: old?.saved ?? false,
      },
      findings: [],
    })
    if (systemCode(error) !== 'ENOENT') return failed(isStoreError(error) ? error : toStoreError(error, 'read', path))
    if (old?.isLost === true) return { entry: old, findings: [] }
    // Beside a writer, a missing file was erased. The writer itself would know about an erasure.
    if (!options.write || old?.committed === undefined) return { entry: undefined, findings: [] }
    const { session, head } = parseCommitted(old)
    return failed(missingFile(path, session, head.last))
  }
}

async function recover(
  { fileSystem, write }: IndexOptions,
  path: string,
  name: string,
  old: Entry | undefined,
  { hasNoWriter, mayHaveLost }: ScanMode,
): Promise<IndexedFile> {
  const known = old === undefined ? undefined : lastAcknowledgedOf(old)
  const findings: OpenFinding[] = []
  const file = await fileSystem.open(path, { access: write ? 'write' : 'read' })
  try {
    const inspection = await inspectFile(file, path, name)
    const { committed, tornBytes } = inspection
    const lost = findLoss(inspection, path, known)
    if (lost !== undefined && !mayHaveLost) throw lost.error
    if (lost !== undefined) findings.push(lost.finding)
    const isGone = committed === undefined && mayHaveLost && write
    if (committed === undefined && !isGone) throw neverComplete(inspection, path)
    if (tornBytes > 0) findings.push(await dealWithTorn(fileSystem, file, path, inspection, write))
    if (committed !== undefined) {
      const stat = file.stat()
      const lastAcknowledged = write || hasNoWriter ? undefined : (known ?? NOTHING_SURE)
      // A tail that is being written must be inspected again, so its stat is not remembered.
      const seen = committed.size === stat.size ? stat : undefined
      return { entry: { stat: seen, committed, lastAcknowledged, error: undefined, saved: false }, findings }
    }
  } finally {
    await file.close()
  }
  await removeIfThere(fileSystem, path)
  return { entry: undefined, findings }
}

/** Both ways to tell that acknowledged events are not there: only without waiting for the disk may that be so. */
function findLoss(
  { committed, header }: Inspection,
  path: string,
  known: LastAcknowledged | undefined,
): { readonly error: StoreError; readonly finding: OpenFinding } | undefined {
  const { session } = header
  const last = committed?.head.last ?? header.base - 1
  if (known === undefined || known.incarnation !== header.incarnation || known.last <= last) return undefined
  const what = `the file ends with event ${last}, but event ${known.last} had been recorded in it`
  const message = `Session ${JSON.stringify(session)} ends with event ${last}; events up to ${known.last} were written without waiting for the disk and are lost.`
  return {
    error: corrupt(what, { file: path, session, seq: last + 1 }),
    finding: { kind: 'lost-tail', message, session, file: path },
  }
}

async function dealWithTorn(
  fileSystem: FileSystem,
  file: OpenFile,
  path: string,
  { header, tornBytes }: Inspection,
  write: boolean,
): Promise<OpenFinding> {
  const { session } = header
  const what = `Session ${JSON.stringify(session)} ends in an append that was never finished (${tornBytes} bytes)`
  const finding = { kind: 'torn-tail', session, bytes: tornBytes } as const
  if (!write) return { ...finding, message: `${what}. It is ignored; the next writer cuts it off.`, file: path }
  const size = file.stat().size - tornBytes
  const aside = await copyAside(fileSystem, path, file, size, 'torn')
  await file.truncate(size)
  await file.sync()
  return { ...finding, message: `${what}. It was cut off and is kept in ${aside}.`, file: aside }
}

function neverComplete({ header }: Inspection, path: string): Error {
  return corrupt('there is no whole append in the file, although a file gets its name only when its first one is', {
    file: path,
    session: header.session,
    seq: header.base,
    line: 2,
  })
}
