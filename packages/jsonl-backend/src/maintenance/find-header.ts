import { randomUUID } from 'node:crypto'
import type { Json, Problem } from '@turnlog/core/backend'
import type { OpenFile } from '../file-system/file-system.ts'
import { checksum, sessionSeed } from '../format/checksum.ts'
import { decodeFileName, encodeFileName } from '../format/file-name.ts'
import type { Header } from '../format/header.ts'
import { parseHeader } from '../format/header.ts'
import { frameLine } from '../format/line.ts'
import { isCount, parseObject } from '../format/parse-object.ts'
import type { Committed } from '../format/committed.ts'
import { flipBack } from './flip-back.ts'
import { readAnyLine, readWholeLine } from './repair-lines.ts'
import { scanLines } from './scan-lines.ts'

/** What is known about a file before its event lines are read. */
export interface FoundHeader {
  readonly header: Header
  readonly actions: readonly Problem[]
  /** The incarnation is lost, so checksums cannot be verified. */
  readonly isTrusting: boolean
  /** Where the event lines begin, and in which line of the file, counted from 1. */
  readonly offset: number
  readonly line: number
}

const NEWLINE: Buffer = Buffer.from('\n')
const CHECKSUM_FIELD = ',"crc":"'
const HEADER_END = '"}'
/** In a header that is not JSON any more. The lines show whether it is right. */
const INCARNATION = /"incarnation":"([^"\\]+)"/
const HEADER_TAIL = `${CHECKSUM_FIELD}00000000${HEADER_END}`.length

/**
 * The header, or what can be put in its place. One with a flipped bit is found again by its own checksum; one that is
 * lost is made from the name of the file, what the sidecar remembers (`known`), and the lines that fit.
 *
 * @returns the reason if it cannot be said which session this is
 * @throws `UNSUPPORTED`
 */
export async function findHeader(
  file: OpenFile,
  path: string,
  name: string,
  known: Committed | undefined,
): Promise<FoundHeader | string> {
  const [first, second] = await firstLines(file)
  if (first === undefined) return 'The file is empty.'
  const offset = first.length + NEWLINE.length
  const found = (header: Header, message: string | undefined, at: number, line: number): FoundHeader => {
    const actions = message === undefined ? [] : [{ message, file: path, session: header.session, line: 1 }]
    return { header, actions, isTrusting: false, offset: at, line }
  }
  const whole = parseHeader(first, path)
  const isTerminated = second !== undefined || file.stat().size >= offset
  if (whole !== undefined) return found(whole, isTerminated ? undefined : 'End the line of the header anew.', offset, 2)
  for (let at = first.indexOf(CHECKSUM_FIELD); at !== -1; at = first.indexOf(CHECKSUM_FIELD, at + 1)) {
    const header = parseHeader(first.subarray(0, at + HEADER_TAIL), path)
    if (header === undefined) continue
    const end = at + HEADER_TAIL + NEWLINE.length
    const isAlone = end >= first.length
    return found(header, 'End the line of the header anew.', isAlone ? offset : end, isAlone ? 2 : 1)
  }
  // A flipped bit may have made a newline.
  const lines = second === undefined ? [first] : [first, Buffer.concat([first, NEWLINE, second])]
  for (const [index, tried] of lines.entries()) {
    const header = flipBack(tried, HEADER_END.length, checksum, (turned) => parseHeader(turned, path))
    if (header === undefined) continue
    const message = 'Turn back one flipped bit in the header: then it matches its checksum.'
    return found(header, message, tried.length + NEWLINE.length, index + 2)
  }
  return replaceHeader(file, path, name, known, first)
}

async function firstLines(file: OpenFile): Promise<readonly Buffer[]> {
  const lines: Buffer[] = []
  for await (const { buffer, start, end } of scanLines(file, 0, file.stat().size)) {
    lines.push(Buffer.from(buffer.subarray(start, end)))
    if (lines.length === 2) break
  }
  return lines
}

async function replaceHeader(
  file: OpenFile,
  path: string,
  name: string,
  known: Committed | undefined,
  first: Buffer,
): Promise<FoundHeader | string> {
  const { session, incarnation, base, seq, projection } = parseObject(first.toString('utf8')) ?? {}
  const decoded = decodeFileName(name)
  const key = typeof decoded === 'object' ? decoded.session : (known?.session ?? session)
  if (typeof key !== 'string' || encodeFileName(key) !== name) {
    return 'Neither the name of the file nor its first line tells which session it is.'
  }
  const start = typeof seq === 'number' ? { offset: 0, line: 1 } : { offset: first.length + NEWLINE.length, line: 2 }
  const spelled = INCARNATION.exec(first.toString('utf8'))?.[1]
  const incarnations = [incarnation, known?.head.incarnation, spelled].filter((life) => typeof life === 'string')
  const evidence = await findEvidence(file, start.offset, incarnations)
  const life = evidence === undefined ? incarnations[0] : evidence.incarnation
  const header: Header = {
    session: key,
    incarnation: life ?? randomUUID(),
    base: evidence?.base ?? [seq, base].find(isSeq) ?? 1,
    // If there are events, the last one carries the projection.
    ...(evidence !== undefined || projection === undefined ? {} : { empty: { projection } }),
  }
  const isTrusting = life === undefined
  const how = isTrusting
    ? 'The session begins a new life, and the checksums of its lines could not be checked'
    : 'Its checksum is computed anew'
  const message = `Write the header anew: it was damaged. ${how}.`
  return { header, actions: [{ message, file: path, session: key, line: 1 }], isTrusting, ...start }
}

interface Evidence {
  /** `undefined` if none of the candidates fits. */
  readonly incarnation: string | undefined
  readonly base: number
}

/** What the lines say about the header: the incarnation that fits them, and the seq of the first. */
async function findEvidence(
  file: OpenFile,
  offset: number,
  incarnations: readonly string[],
): Promise<Evidence | undefined> {
  const lives = incarnations.map((incarnation) => ({ incarnation, seed: sessionSeed(incarnation) }))
  let unproven: Evidence | undefined
  let before = 0
  for await (const { buffer, start, end } of scanLines(file, offset, file.stat().size)) {
    const line = buffer.subarray(start, end)
    for (const { incarnation, seed } of lives) {
      const read = readWholeLine(line, seed)
      // Each damaged line in front of it held one event.
      if (read !== undefined) return { incarnation, base: Math.max(1, read.seq - before) }
    }
    if (unproven === undefined && frameLine(line, 0, line.length) !== undefined) {
      const read = readAnyLine(line, { seed: 0, isTrusting: true }, { from: 1, to: Number.MAX_SAFE_INTEGER })
      if (read !== undefined) unproven = { incarnation: undefined, base: Math.max(1, read.seq - before) }
    }
    before++
  }
  return unproven
}

function isSeq(value: Json | undefined): value is number {
  return isCount(value) && value > 0
}
