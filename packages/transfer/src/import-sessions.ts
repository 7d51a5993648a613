import type { TransferOptions, TransferReport } from './transfer-report.ts'
import { TransferTally } from './transfer-report.ts'
import { writeSession } from './write-session.ts'
import type { StoreOrBackend } from './backend-of.ts'
import { backendOf } from './backend-of.ts'
import { parseExport } from './parse-export.ts'

/**
 * Makes the sessions of an export in a store, as they were: every event with its seq, id and time. What was written is
 * read back and compared. A session that is there already is left alone if it is the same, continued if it is an
 * earlier part of the same, and otherwise reported and never changed. Holds one session in memory at a time.
 *
 * @throws `INVALID_ARGUMENT` if it is no export, `UNSUPPORTED` if it is of a newer version, `CORRUPT` with the line if
 * it was damaged or cut off; the sessions before that are in, and importing again is safe
 */
export async function importSessions(
  target: StoreOrBackend,
  source: AsyncIterable<string | Uint8Array>,
  options: TransferOptions = {},
): Promise<TransferReport> {
  const { onProgress, signal } = options
  const backend = backendOf(target)
  const tally = new TransferTally(onProgress)
  for await (const log of parseExport(source)) {
    signal?.throwIfAborted()
    tally.add(log.head.session, await writeSession(backend, log, signal))
  }
  return tally.report()
}
