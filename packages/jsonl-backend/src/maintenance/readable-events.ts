import type { OpenFile } from '../file-system/file-system.ts'
import { frameLine } from '../format/line.ts'
import { eventsOf } from './events-of.ts'
import { readAnyLine } from './repair-lines.ts'
import { scanLines } from './scan-lines.ts'

const ANY_INCARNATION = { seed: 0, isTrusting: true }
const ANY_SEQ = { from: 1, to: Number.MAX_SAFE_INTEGER }

/** Names the readable events of a file whose session is unknown; empty if there are none. */
export async function readableEvents(file: OpenFile): Promise<string> {
  const names: string[] = []
  let from = 0
  let to = 0
  const close = (): void => {
    if (from > 0) names.push(eventsOf(from, to))
  }
  for await (const { buffer, start, end } of scanLines(file, 0, file.stat().size)) {
    const line = buffer.subarray(start, end)
    // Only framed lines: any other JSON may come from anywhere.
    const seq = frameLine(line, 0, line.length) && readAnyLine(line, ANY_INCARNATION, ANY_SEQ)?.seq
    if (seq === undefined) continue
    if (seq !== to + 1 || from === 0) {
      close()
      from = seq
    }
    to = seq
  }
  close()
  return names.join(' and ')
}
