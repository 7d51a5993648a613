import { checkKey, isStoreError, StoreError } from '@turnlog/core/backend'
import type { EventRecord, Json, JsonObject } from '@turnlog/core/backend'
import type { SessionLog } from './session-log.ts'
import type { HeadLine } from './export-format.ts'
import { EXPORT_FORMAT, EXPORT_VERSION, LineChecksum } from './export-format.ts'
import { readLines } from './read-lines.ts'

/** A session of an export while its events are being read. */
interface Open {
  readonly head: HeadLine
  readonly events: EventRecord[]
  readonly checksum: LineChecksum
}

/**
 * The sessions of an export, each when its last line has been read and its checksum is right. Holds one session in
 * memory at a time.
 *
 * @throws `INVALID_ARGUMENT` if it is no export, `UNSUPPORTED` if it is of a newer version, `CORRUPT` with the line if
 * it was damaged or cut off
 */
export async function* parseExport(source: AsyncIterable<string | Uint8Array>): AsyncGenerator<SessionLog> {
  let line = 0
  let sessions = 0
  let open: Open | undefined
  let isComplete = false
  for await (const text of decoded(source)) {
    line++
    if (text === '') continue
    if (isComplete) throw damaged(line, 'something follows the end')
    const fields = parse(text, line)
    if (line === 1) {
      checkHeader(fields)
    } else if ('event' in fields) {
      if (open === undefined) throw damaged(line, 'an event without a session')
      open.checksum.add(text)
      open.events.push(checkEvent(fields, open, line))
    } else if ('first' in fields) {
      if (open !== undefined) throw damaged(line, 'a session begins inside another')
      open = { head: checkHead(fields, line), events: [], checksum: new LineChecksum() }
      open.checksum.add(text)
    } else if ('session' in fields) {
      if (open === undefined) throw damaged(line, 'the end of a session that did not begin')
      yield finish(fields, open, line)
      open = undefined
      sessions++
    } else {
      isComplete = true
      const { end } = fields as { end?: { sessions?: Json } }
      if (open !== undefined || end?.sessions !== sessions) throw damaged(line, 'sessions are missing')
    }
  }
  if (line === 0) throw notAnExport()
  if (!isComplete) throw damaged(line, 'the export ends here, before its last line: it was cut off')
}

async function* decoded(source: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  try {
    yield* readLines(source)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new StoreError('CORRUPT', 'Cannot import: the export is not valid UTF-8.', { cause: error })
  }
}

function parse(text: string, line: number): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (line === 1) throw notAnExport(error)
    throw damaged(line, 'not valid JSON', error)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw line === 1 ? notAnExport() : damaged(line, 'not an object')
}

function checkHeader({ format, version }: JsonObject): void {
  if (format !== EXPORT_FORMAT) throw notAnExport()
  if (version === EXPORT_VERSION) return
  throw new StoreError(
    'UNSUPPORTED',
    `Cannot import: the export has version ${JSON.stringify(version)}, and this release reads ${EXPORT_VERSION}. Update Turnlog.`,
  )
}

function checkHead(fields: JsonObject, line: number): HeadLine {
  const { session, first, last, incarnation, projection } = fields as Partial<HeadLine> & JsonObject
  try {
    checkKey(session)
  } catch (error) {
    if (!isStoreError(error)) throw error
    throw damaged(line, error.message.replace(/\.$/, ''), error)
  }
  const isRange = isSeq(first) && isSeq(last) && first <= last + 1
  if (!isRange || typeof incarnation !== 'string' || incarnation === '' || projection === undefined) {
    throw damaged(line, 'not the head of a session')
  }
  return { session, first, last, incarnation, projection }
}

function checkEvent(fields: JsonObject, { head, events }: Open, line: number): EventRecord {
  const { session, event } = fields as { session?: Json; event?: Partial<EventRecord> }
  if (session !== head.session || typeof event !== 'object' || event === null) throw damaged(line, 'not an event')
  const { seq, id, type, v, at } = event
  const isEvent = typeof id === 'string' && typeof type === 'string' && typeof v === 'number' && typeof at === 'number'
  if (!isEvent || seq !== head.first + events.length || seq > head.last) {
    throw damaged(line, `not event ${head.first + events.length}`)
  }
  return event as EventRecord
}

function finish(fields: JsonObject, { head, events, checksum }: Open, line: number): SessionLog {
  const { session, end } = fields as { session?: Json; end?: { events?: Json; checksum?: Json } }
  const isWhole = events.length === head.last - head.first + 1 && end?.events === events.length
  if (session !== head.session || !isWhole) throw damaged(line, 'events of the session are missing')
  if (end?.checksum !== checksum.value) throw damaged(line, 'the checksum of the session is wrong')
  return {
    head: { ...head, bytes: 0 },
    // eslint-disable-next-line typescript/require-await -- a stream, although everything is here already
    async *read(from) {
      yield* events.slice(from - head.first)
    },
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function damaged(line: number, what: string, cause?: unknown): StoreError {
  return new StoreError(
    'CORRUPT',
    `Cannot import line ${line}: ${what}. The sessions before it are in; get a whole export and import it again.`,
    { line, ...(cause === undefined ? undefined : { cause }) },
  )
}

function notAnExport(cause?: unknown): StoreError {
  return new StoreError(
    'INVALID_ARGUMENT',
    'Cannot import: this is no Turnlog export. Give the stream that exportSessions() wrote.',
    cause === undefined ? {} : { cause },
  )
}
