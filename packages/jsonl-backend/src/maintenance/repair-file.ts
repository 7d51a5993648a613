import { randomUUID } from 'node:crypto'
import type { Json, Problem } from '@turnlog/core/backend'
import type { OpenFile } from '../file-system/file-system.ts'
import { sessionSeed } from '../format/checksum.ts'
import { decodeFileName } from '../format/file-name.ts'
import type { Header } from '../format/header.ts'
import { encodeHeader, parseHeader } from '../format/header.ts'
import type { ReadableLine } from './repair-lines.ts'
import { encodeLine, readAnyLine } from './repair-lines.ts'
import type { RawLine } from './scan-lines.ts'
import { scanLines } from './scan-lines.ts'

/** What is to be done to a file. */
export interface Mending {
  readonly actions: readonly Problem[]
  /** Last seq that is kept, 0 if nothing is. */
  readonly last: number
  /** The new content, piece by piece; `undefined` if nothing can be kept. */
  readonly pieces: (() => AsyncGenerator<Buffer>) | undefined
}

/** Events that follow each other and can all be read; `to` ends a batch. */
interface Stretch {
  readonly from: number
  readonly to: number
}

/**
 * Plans the repair of a file. Numbers have no gaps, so of a file with damage inside, the longest stretch that can be
 * read is kept; an unfinished end is cut; lines that were edited on purpose get new checksums.
 */
export async function mendFile(file: OpenFile, path: string, name: string): Promise<Mending> {
  const found = await readHeader(file, path, name)
  const { header } = found
  if (header === undefined) return { actions: found.actions, last: 0, pieces: undefined }
  const place = { file: path, session: header.session }
  const actions: Problem[] = [...found.actions]
  let stretch: Stretch | undefined
  let longest: Stretch | undefined
  let damaged = 0
  let next = header.base
  let last = header.base - 1
  for await (const { read, line, raw } of readLines(file, header, found)) {
    if (read === undefined) {
      if (!raw.isTerminated) {
        actions.push({ ...place, message: `Cut off ${raw.end - raw.start} bytes of an unfinished last line.`, line })
        break
      }
      actions.push({ ...place, message: `Drop event ${next}: its line is damaged.`, seq: next, line })
      damaged++
      next++
      stretch = undefined
      continue
    }
    const { seq } = read
    last = Math.max(last, seq)
    if (seq < next) {
      actions.push({ ...place, message: `Drop a second line for event ${seq}.`, seq, line })
      continue
    }
    if (seq > next) {
      actions.push({ ...place, message: `Lines for events ${next} to ${seq - 1} are missing.`, seq: next, line })
      damaged++
      stretch = undefined
    }
    if (read.bytes === undefined) {
      actions.push({ ...place, message: `Compute the checksum of event ${seq} anew.`, seq, line })
    }
    stretch = { from: stretch?.from ?? seq, to: read.more === 0 ? seq : (stretch?.to ?? seq - 1) }
    if (lengthOf(stretch) > lengthOf(longest)) longest = stretch
    next = seq + 1
  }
  if (longest === undefined) {
    if (header.empty === undefined) return { actions, last: 0, pieces: undefined }
    return {
      actions,
      last: header.base - 1,
      pieces: () => writePieces(file, header, found, { from: header.base, to: 0 }),
    }
  }
  const kept = longest
  if (damaged > 0 && (kept.from > header.base || kept.to < last)) {
    const message = `Keep events ${kept.from} to ${kept.to}, the longest stretch without damage, and drop the others.`
    actions.push({ ...place, message, seq: kept.from })
  } else if (kept.to < last) {
    const message = `Cut off events ${kept.to + 1} to ${last}: their append was never finished.`
    actions.push({ ...place, message, seq: kept.to + 1 })
  }
  return { actions, last: kept.to, pieces: () => writePieces(file, header, found, kept) }
}

async function* writePieces(file: OpenFile, header: Header, start: FoundHeader, kept: Stretch): AsyncGenerator<Buffer> {
  const seed = sessionSeed(header.incarnation)
  const { session, incarnation } = header
  yield encodeHeader(kept.from === header.base ? header : { session, incarnation, base: kept.from })
  let first = header.base
  let next = kept.from
  for await (const { read } of readLines(file, header, start)) {
    if (read === undefined || read.seq !== next || read.seq > kept.to) continue
    next++
    first = Math.max(first, read.batchEnd?.first ?? 0)
    const { batchEnd } = read
    if (read.seq === kept.to && batchEnd !== undefined && batchEnd.first !== Math.max(first, kept.from)) {
      // What the projection says of events that are gone is no longer true: without one it is computed from the log.
      const projection = kept.from > header.base ? null : batchEnd.projection
      const end = { ...batchEnd, first: Math.max(first, kept.from), lines: 1, projection }
      yield encodeLine({ ...read, batchEnd: end }, seed)
    } else {
      yield read.bytes ?? encodeLine(read, seed)
    }
  }
}

interface FoundHeader {
  readonly header?: Header
  readonly actions: readonly Problem[]
  /** Nothing tells the incarnation any more, so that checksums cannot be judged. */
  readonly isTrusting: boolean
  /** The header itself is missing: the first line is an event. */
  readonly hasNoLine: boolean
}

async function* readLines(
  file: OpenFile,
  header: Header,
  { isTrusting, hasNoLine }: FoundHeader,
): AsyncGenerator<{ readonly read: ReadableLine | undefined; readonly line: number; readonly raw: RawLine }> {
  const seed = sessionSeed(header.incarnation)
  let line = 0
  let next = header.base
  for await (const raw of scanLines(file, 0, file.stat().size)) {
    line++
    if (line === 1 && !hasNoLine) continue
    const read = raw.isTerminated ? readAnyLine(raw, seed, next, isTrusting) : undefined
    next = Math.max(next, read === undefined ? next + 1 : read.seq + 1)
    yield { read, line, raw }
  }
}

async function readHeader(file: OpenFile, path: string, name: string): Promise<FoundHeader> {
  const leave = (message: string): FoundHeader => ({
    actions: [{ message, file: path, line: 1 }],
    isTrusting: false,
    hasNoLine: false,
  })
  for await (const { buffer, start, end } of scanLines(file, 0, file.stat().size)) {
    const bytes = buffer.subarray(start, end)
    const header = parseHeader(bytes, path)
    if (header !== undefined) return { header, actions: [], isTrusting: false, hasNoLine: false }
    const { session, incarnation, base, seq, projection } = parseLoosely(bytes)
    const decoded = decodeFileName(name)
    const key = typeof decoded === 'object' ? decoded.session : session
    if (typeof key !== 'string')
      return leave('Neither the name of the file nor its first line tells which session it is.')
    const first = typeof seq === 'number' ? seq : base
    const mended: Header = {
      session: key,
      incarnation: typeof incarnation === 'string' ? incarnation : randomUUID(),
      base: typeof first === 'number' && Number.isSafeInteger(first) && first > 0 ? first : 1,
      ...(projection === undefined ? {} : { empty: { projection } }),
    }
    const isTrusting = typeof incarnation !== 'string'
    const how = isTrusting
      ? 'The session begins a new life, and the checksums of its lines could not be checked'
      : 'Its checksum is computed anew'
    const message = `Write the header anew: it was damaged. ${how}.`
    const actions = [{ message, file: path, session: key, line: 1 }]
    return { header: mended, actions, isTrusting, hasNoLine: typeof seq === 'number' }
  }
  return leave('The file is empty.')
}

function parseLoosely(bytes: Buffer): Readonly<Record<string, Json | undefined>> {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as Json
    return typeof value === 'object' && value !== null ? (value as Record<string, Json>) : {}
  } catch {
    return {} // not JSON: everything has to be guessed
  }
}

function lengthOf(stretch: Stretch | undefined): number {
  return stretch === undefined ? 0 : stretch.to - stretch.from + 1
}
