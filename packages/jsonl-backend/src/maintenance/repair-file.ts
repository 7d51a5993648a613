import { randomUUID } from 'node:crypto'
import type { Json, Problem } from '@turnlog/core/backend'
import type { OpenFile } from '../file-system/file-system.ts'
import { sessionSeed } from '../format/checksum.ts'
import { decodeFileName } from '../format/file-name.ts'
import type { Header } from '../format/header.ts'
import { encodeHeader, parseHeader } from '../format/header.ts'
import type { ReadableLine } from './repair-lines.ts'
import { lostLine, readAnyLine } from './repair-lines.ts'
import type { RawLine } from './scan-lines.ts'
import { scanLines } from './scan-lines.ts'

/** What a session file will look like, piece by piece, and what had to be done to it. */
export interface Mending {
  /** Tells what was done, complete when `pieces` has ended. */
  readonly actions: Problem[]
  pieces(): AsyncGenerator<Buffer>
  /** Last seq that is kept, when `pieces` has ended. */
  readonly last: number
  /** Something is left to make a session of, when `pieces` has ended. */
  readonly isUsable: boolean
}

/**
 * Plans the repair of a file. Lines that can be read keep their events, with new checksums where they were edited;
 * for what cannot be read an inert event stands in, so that the others keep their numbers; an unfinished end is cut.
 */
export function mendFile(file: OpenFile, path: string, name: string): Mending {
  const actions: Problem[] = []
  const mending = { actions, last: 0, isUsable: false, pieces }
  return mending

  async function* pieces(): AsyncGenerator<Buffer> {
    let header: Header | undefined
    let seed = 0
    let next = 1
    let line = 0
    /** The logical start of the session as the last batch says it. */
    let first = 1
    let place: { readonly file: string; readonly session?: string } = { file: path }
    /** Lines since the last whole batch. */
    let open: ReadableLine[] = []
    let unreadable: { readonly seq: number; readonly line: number }[] = []

    const fill = (more: number | undefined): void => {
      // The first of them may continue a batch; the last comes in front of a line that says how many follow it.
      let left = (more ?? -1) + unreadable.length
      for (const { seq, line: at } of unreadable) {
        const before = open.at(-1)?.more ?? 0
        const rest = Math.max(before > 0 ? before - 1 : left, 0)
        open.push(lostLine(seq, rest, first, seed))
        actions.push({
          ...place,
          message: `Put an inert event in place of event ${seq}, which cannot be read.`,
          seq,
          line: at,
        })
        left--
      }
      unreadable = []
    }

    for await (const raw of scanLines(file, 0, file.stat().size)) {
      line++
      if (header === undefined) {
        const found = mendHeader(raw, path, name)
        header = found.header
        if (found.action !== undefined) actions.push({ ...place, message: found.action, line: 1 })
        if (header === undefined) return
        place = { file: path, session: header.session }
        seed = sessionSeed(header.incarnation)
        next = header.base
        first = header.base
        mending.last = next - 1
        mending.isUsable = header.empty !== undefined
        yield encodeHeader(header)
        if (found.isEventLine !== true) continue
      }
      const read = raw.isTerminated ? readAnyLine(raw, seed, next, first) : undefined
      if (read === undefined) {
        if (raw.isTerminated) {
          unreadable.push({ seq: next, line })
          next++
        } else {
          actions.push({ ...place, message: `Cut off ${raw.end - raw.start} bytes of an unfinished last line.`, line })
        }
        continue
      }
      if (read.seq < next) {
        actions.push({ ...place, message: `Drop a second line for event ${read.seq}.`, seq: read.seq, line })
        continue
      }
      for (; next < read.seq; next++) unreadable.push({ seq: next, line })
      fill(read.more)
      if (read.isEdited) {
        const message = `Compute the checksum of event ${read.seq} anew: the line was changed.`
        actions.push({ ...place, message, seq: read.seq, line })
      }
      first = read.first ?? first
      open.push(read)
      next++
      if (read.more === 0) {
        mending.last = read.seq
        mending.isUsable = true
        for (const { bytes } of open) yield bytes
        open = []
      }
    }
    if (unreadable.length > 0) fill(undefined)
    const end = open.findLastIndex(({ more }) => more === 0)
    for (const { bytes, seq } of open.slice(0, end + 1)) {
      mending.last = seq
      mending.isUsable = true
      yield bytes
    }
    const cut = open.slice(end + 1)
    if (cut[0] !== undefined) {
      const message = `Cut off ${cut.length} events from ${cut[0].seq} on: their append was never finished.`
      actions.push({ ...place, message, seq: cut[0].seq })
    }
  }
}

function mendHeader(
  { buffer, start, end }: RawLine,
  path: string,
  name: string,
): { readonly header?: Header; readonly action?: string; readonly isEventLine?: boolean } {
  const bytes = buffer.subarray(start, end)
  const header = parseHeader(bytes, path)
  if (header !== undefined) return { header }
  let fields: Record<string, Json> = {}
  try {
    fields = JSON.parse(bytes.toString('utf8')) as Record<string, Json>
  } catch {
    // Not JSON: everything has to be guessed.
  }
  const { session, incarnation, base, seq, projection } = fields
  const decoded = decodeFileName(name)
  const key = typeof decoded === 'object' ? decoded.session : session
  if (typeof key !== 'string') {
    return { action: 'Leave the file alone: neither its name nor its first line tells which session it is.' }
  }
  const isEventLine = typeof seq === 'number'
  const first = isEventLine ? seq : base
  const mended: Header = {
    session: key,
    incarnation: typeof incarnation === 'string' ? incarnation : randomUUID(),
    base: typeof first === 'number' && Number.isSafeInteger(first) && first > 0 ? first : 1,
    ...(projection === undefined ? {} : { empty: { projection } }),
  }
  const how = typeof incarnation === 'string' ? 'its checksum is computed anew' : 'the session begins a new life'
  return { header: mended, isEventLine, action: `Write the header anew: it was damaged, and ${how}.` }
}
