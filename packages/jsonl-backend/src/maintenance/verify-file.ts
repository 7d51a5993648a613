import type { Problem } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import type { OpenFile } from '../file-system/file-system.ts'
import { sessionSeed } from '../format/checksum.ts'
import { parseHeader } from '../format/header.ts'
import type { Header } from '../format/header.ts'
import { frameLine, hasValidChecksum, parseBatchEnd } from '../format/line.ts'
import type { LineFrame } from '../format/line.ts'
import { parseEvent } from '../format/parse-events.ts'
import type { RawLine } from './scan-lines.ts'
import { scanLines } from './scan-lines.ts'

/** Problems reported per file. More of them say nothing new. */
const MAX_PROBLEMS = 100

export interface FileVerdict {
  readonly events: number
  readonly problems: readonly Problem[]
}

/** Reads every line up to `size`, which is where the last whole batch ends if that is known, and counts from `first` on. */
export async function verifyFile(
  file: OpenFile,
  path: string,
  { session, size, first }: { readonly session: string; readonly size: number; readonly first: number },
): Promise<FileVerdict> {
  const problems: Problem[] = []
  const report = (message: string, place: { readonly line: number; readonly seq?: number }): void => {
    if (problems.length < MAX_PROBLEMS) {
      problems.push({ message, file: path, session, ...place })
    }
  }
  let header: Header | undefined
  let line = 0
  let events = 0
  let expectedMore: number | undefined
  let seed = 0
  for await (const raw of scanLines(file, 0, size)) {
    line++
    if (line === 1) {
      header = readHeader(raw, path, report)
      if (header === undefined) break
      seed = sessionSeed(header.incarnation)
      if (header.session !== session) {
        report(`The header names session ${JSON.stringify(header.session)}.`, { line })
      }
      continue
    }
    const seq = (header?.base ?? 1) + (line - 2) // in this order: the sum must not pass the largest safe integer
    const frame = raw.isTerminated ? frameLine(raw.buffer, raw.start, raw.end) : undefined
    if (frame === undefined || !hasValidChecksum(raw.buffer, frame, seed, seq)) {
      report(raw.isTerminated ? 'The line does not match its checksum.' : 'The last line is not finished.', {
        line,
        seq,
      })
      expectedMore = undefined
      continue
    }
    const wrong = judge(raw.buffer, frame, seq, expectedMore)
    if (wrong !== undefined) report(wrong, { line, seq })
    expectedMore = frame.more === 0 ? undefined : frame.more - 1
    if (seq >= first) events++
  }
  if (line === 0) report('The file is empty.', { line: 1 })
  else if (expectedMore !== undefined) report('The last batch has no end.', { line })
  return { events, problems }
}

function readHeader(
  { buffer, start, end }: RawLine,
  path: string,
  report: (message: string, place: { readonly line: number }) => void,
): Header | undefined {
  try {
    const header = parseHeader(buffer.subarray(start, end), path)
    if (header === undefined) report('This is not the first line of a session file.', { line: 1 })
    return header
  } catch (error) {
    if (!isStoreError(error)) throw error
    report(error.message, { line: 1 })
    return undefined
  }
}

/** A line can have the right checksum and still be wrong, if a program wrote it so. */
function judge(buffer: Buffer, frame: LineFrame, seq: number, expectedMore: number | undefined): string | undefined {
  if (expectedMore !== undefined && frame.more !== expectedMore) return 'The line does not continue its batch.'
  if (frame.more === 0 && parseBatchEnd(buffer, frame)?.last !== seq)
    return 'The end of the batch is not as it should be.'
  try {
    return parseEvent(buffer, frame).seq === seq ? undefined : `The event says another seq than ${seq}.`
  } catch {
    return 'The event is not JSON.'
  }
}
