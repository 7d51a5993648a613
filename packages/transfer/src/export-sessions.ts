import { checkKeyText, isDamage, listIntactSessions, StoreError } from '@turnlog/core/backend'
import type { Backend, Head, OnDamaged, SessionHead } from '@turnlog/core/backend'
import { backendLog, LogMoved } from './session-log.ts'
import type { StoreOrBackend } from './backend-of.ts'
import { backendOf } from './backend-of.ts'
import type { EndLine, EventLine, HeaderLine, HeadLine, SessionEndLine } from './export-format.ts'
import { EXPORT_FORMAT, EXPORT_VERSION, LineChecksum } from './export-format.ts'
import { redactEvent, redactProjection } from './redact.ts'

export interface ExportProgress {
  /** What was finished last. */
  readonly session: string
  /** Sessions so far. */
  readonly done: number
  /** Events so far. */
  readonly events: number
}

export interface ExportOptions {
  /** Only these sessions; `NOT_FOUND` if one does not exist. @default all */
  readonly keys?: readonly string[]
  /** Only sessions whose keys begin so; not with `keys`. @default all */
  readonly prefix?: string
  /**
   * Replace every text by `x`s of the same length, for a bug report: message contents, tool arguments and results,
   * summaries, metadata, notes. Kept are session keys, times, numbers, the names of all fields, and the roles, types,
   * ids and names of tools and models of messages, but none of these inside of arguments and results. @default false
   */
  readonly redact?: boolean
  /**
   * Called for each session that is damaged, with a `CORRUPT` or `UNSUPPORTED`: it is left out, and the export is whole
   * without it. One session at a time is then held in memory. @default the export fails with that error
   */
  readonly onDamaged?: (damage: StoreError) => void
  /** Called once for each session, when its last line has been taken. @default nobody is told */
  readonly onProgress?: (progress: ExportProgress) => void
  /** @default none */
  readonly signal?: AbortSignal
}

/**
 * Sessions as JSON Lines, each string one line with its newline: every event with its seq, id and time, so that
 * `importSessions` makes the same sessions of it on any backend. Each session is given as it is at one moment.
 *
 * @throws `NOT_FOUND`, `CORRUPT`
 *
 * @example
 * ```ts
 * await pipeline(exportSessions(store), createWriteStream('backup.jsonl'))
 * ```
 */
export async function* exportSessions(source: StoreOrBackend, options: ExportOptions = {}): AsyncGenerator<string> {
  const { prefix, redact = false, onDamaged, onProgress, signal } = options
  checkKeyText('prefix', prefix)
  const backend = backendOf(source)
  yield toLine({ format: EXPORT_FORMAT, version: EXPORT_VERSION, redacted: redact })
  let sessions = 0
  let events = 0
  for await (const head of headsOf(backend, options)) {
    signal?.throwIfAborted()
    const lines = exportSession(backend, head, redact, signal)
    const count = yield* onDamaged === undefined ? lines : wholeOrNothing(lines, onDamaged)
    if (count === undefined) continue
    events += count
    sessions++
    onProgress?.({ session: head.session, done: sessions, events })
  }
  yield toLine({ end: { sessions } })
}

async function* headsOf(backend: Backend, { keys, prefix, onDamaged }: ExportOptions): AsyncGenerator<SessionHead> {
  if (keys === undefined) {
    const range = prefix === undefined ? {} : { prefix }
    if (onDamaged === undefined) for await (const batch of backend.list(range)) yield* batch
    else yield* listIntactSessions(backend, range, onDamaged)
    return
  }
  if (prefix !== undefined) throw new StoreError('INVALID_ARGUMENT', 'Give either "keys" or "prefix", not both.')
  for (const session of keys) {
    let head: Head | undefined
    try {
      head = await backend.head(session)
    } catch (error) {
      if (onDamaged === undefined || !isDamage(error)) throw error
      onDamaged(error)
      continue
    }
    if (head === undefined) {
      throw new StoreError('NOT_FOUND', `Cannot export session ${JSON.stringify(session)}: it does not exist.`, {
        session,
      })
    }
    yield { session, ...head }
  }
}

/** Damage may lie behind lines that are good, and an export has no word to take them back. */
async function* wholeOrNothing(
  lines: AsyncGenerator<string, number>,
  onDamaged: OnDamaged,
): AsyncGenerator<string, number | undefined> {
  const held: string[] = []
  let next: IteratorResult<string, number>
  try {
    while ((next = await lines.next()).done !== true) held.push(next.value)
  } catch (error) {
    if (!isDamage(error)) throw error
    onDamaged(error)
    return undefined
  }
  yield* held
  return next.value
}

async function* exportSession(
  backend: Backend,
  listed: SessionHead,
  redact: boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, number> {
  const { session } = listed
  let head = listed
  for (;;) {
    const checksum = new LineChecksum()
    const summed = (line: string): string => {
      checksum.add(line.slice(0, -1))
      return line
    }
    let count = 0
    try {
      for await (const event of backendLog(backend, head).read(head.first, signal)) {
        if (count === 0) yield summed(headLine(head, redact))
        count++
        yield summed(toLine({ session, event: redact ? redactEvent(event) : event }))
      }
      if (count === 0) yield summed(headLine(head, redact))
      yield toLine({ session, end: { events: count, checksum: checksum.value } })
      return count
    } catch (error) {
      // What is read is one moment, so the log can only have moved before the first event.
      if (!(error instanceof LogMoved) || count > 0) throw error
      const now = await backend.head(session)
      if (now === undefined) return 0
      head = { session, ...now }
    }
  }
}

function headLine({ session, first, last, incarnation, projection }: SessionHead, redact: boolean): string {
  const shown = redact ? redactProjection(projection) : projection
  return toLine({ session, first, last, incarnation, projection: shown })
}

function toLine(line: HeaderLine | HeadLine | EventLine | SessionEndLine | EndLine): string {
  return `${JSON.stringify(line)}\n`
}
