import type { OpenFile } from '../file-system/file-system.ts'
import { frameLine } from '../format/line.ts'
import type { EventRun } from './events-of.ts'
import { eventsOf } from './events-of.ts'
import { readAnyLine } from './repair-lines.ts'
import { scanLines } from './scan-lines.ts'

const ANY_INCARNATION = { seed: 0, isTrusting: true }
const ANY_SEQ = { from: 1, to: Number.MAX_SAFE_INTEGER }

/** Names the readable events of a file whose session is unknown; empty if there are none. */
export async function readableEvents(file: OpenFile): Promise<string> {
  const runs: EventRun[] = []
  for await (const { buffer, start, end } of scanLines(file, 0, file.stat().size)) {
    const line = buffer.subarray(start, end)
    // Only framed lines: any other JSON may come from anywhere.
    if (frameLine(line, 0, line.length) === undefined) continue
    const seq = readAnyLine(line, ANY_INCARNATION, ANY_SEQ)?.seq
    if (seq === undefined) continue
    const from = runs.at(-1)?.to === seq - 1 ? runs.pop()?.from : seq
    runs.push({ from: from ?? seq, to: seq })
  }
  return runs.map(({ from, to }) => eventsOf(from, to)).join(' and ')
}
