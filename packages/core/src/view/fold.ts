import { StoreError } from '../errors/store-error.ts'
import { withPosition } from '../events/added-positions.ts'
import type { Run } from '../events/run.ts'
import { runBytes } from '../events/run.ts'
import type {
  Compacted,
  CutRequest,
  KnownEvent,
  MessageAdded,
  MessageStored,
  RecentOp,
  SessionEvent,
} from '../events/session-event.ts'
import { textHash } from '../ids/text-hash.ts'
import { freezeAndMeasure, frozen } from '../normalise/freeze.ts'
import { addUsage } from '../normalise/usage-sums.ts'
import { EntryList } from './entry-list.ts'
import type { SessionState, StoredMessage } from './session-state.ts'
import { emptyState } from './session-state.ts'
import { restatedOf } from './state-fields.ts'

/** How many operation ids are remembered for repeats. */
const REMEMBERED_OPS = 32

export interface FoldOptions {
  /**
   * Keep every recorded message in `stored`, because a later view event may bring it back (a fold of a whole log), or
   * forget those that leave the view (a session in use, where `restore` supplies what it needs).
   */
  readonly keepRemoved: boolean
  /**
   * The log begins after seq 1, so view events from before the compaction may refer to what is gone. They are passed
   * over; the compaction's own view event makes the view whole again.
   */
  readonly trimmed?: boolean
}

/**
 * The meaning of a log: what each event does to a session. The same code folds a whole log, the few events that a cold
 * load reads, and the events of an append that is being planned, so the three cannot disagree.
 *
 * Changes `state` only behind `length` of its arrays, or replaces them.
 */
export function applyEvent<M>(
  state: SessionState<M>,
  event: SessionEvent<M>,
  options: FoldOptions,
  messageBytes?: number,
): void {
  if (event.seq !== state.last + 1) state.lastRecorded = -1
  const before = state.length
  state.last = event.seq
  if (state.deleted) beginAnew(state)
  if ('inert' in event) return
  const known: KnownEvent<M> = event
  if (known.type !== 'Compacted') {
    if (state.createdAt === 0) state.createdAt = known.at
    state.updatedAt = known.at
  }
  switch (known.type) {
    case 'MessageAdded':
      append(state, known, messageBytes ?? freezeAndMeasure(known.message), options)
      break
    case 'MessageStored':
      state.stored.push(storedMessage(state, known, messageBytes))
      break
    case 'Truncated':
    case 'HistoryReplaced':
      setView(state, known, options)
      break
    case 'SummarySet':
      state.summary = known.summary
      state.summarySeq = known.seq
      state.cutSeq = known.seq
      break
    case 'MetadataSet':
      state.metadata = frozen(known.metadata)
      break
    case 'Noted':
      if (known.usage !== undefined) state.usage = addUsage(state.usage, known.usage)
      break
    case 'Compacted':
      restate(state, known)
      break
    case 'SessionDeleted':
      beginAnew(state)
      state.deleted = true
      state.updatedAt = known.at
      state.minVersion = known.seq
      break
  }
  if (known.op !== undefined) remember(state, known, before)
}

/**
 * Records an event from before the view event: only its message matters, because the view event may refer to it.
 */
export function recordEvent<M>(state: SessionState<M>, event: SessionEvent<M>): void {
  if (event.seq !== state.last + 1) state.lastRecorded = -1
  state.last = event.seq
  const known = event as KnownEvent<M>
  if (known.type === 'MessageAdded' || known.type === 'MessageStored') state.stored.push(storedMessage(state, known))
}

/** Adds a message at the end of the view. */
function append<M>(
  state: SessionState<M>,
  { seq, at, message, unfinished }: MessageAdded<M>,
  bytes: number,
  { keepRemoved }: FoldOptions,
): void {
  const previous = record(state, seq, bytes)
  if (keepRemoved) state.stored.push(storedAs({ position: seq, previous, at, bytes, message }, unfinished))
  if (!state.isOutline) {
    state.messages[state.length] = message
    state.entries.set(state.length, seq, previous, at, bytes, unfinished)
  }
  state.length++
  state.bytes += bytes
}

/** Counts a message that was recorded. @returns the position of the one before it */
function record(state: SessionState<unknown>, seq: number, bytes: number): number {
  const previous = state.lastRecorded
  state.lastRecorded = seq
  state.recordedBytes += bytes
  return previous
}

function storedMessage<M>(
  state: SessionState<M>,
  event: MessageAdded<M> | MessageStored<M>,
  messageBytes?: number,
): StoredMessage<M> {
  const { seq: position, of, originalAt, message, unfinished } = event as MessageStored<M>
  const bytes = messageBytes ?? freezeAndMeasure(message)
  const previous = record(state, position, bytes)
  const at = originalAt ?? event.at
  if (of === undefined) return storedAs({ position, previous, at, bytes, message }, unfinished)
  return storedAs({ position, previous, of: typeof of === 'number' ? [of] : of, at, bytes, message }, unfinished)
}

function storedAs<M>(stored: StoredMessage<M>, unfinished: true | undefined): StoredMessage<M> {
  return unfinished === true ? { ...stored, unfinished } : stored
}

function setView<M>(
  state: SessionState<M>,
  event: { readonly seq: number; readonly view: readonly Run[]; readonly rebased?: true },
  options: FoldOptions,
): void {
  const known = options.keepRemoved ? state.stored : recorded(state)
  const chosen: StoredMessage<M>[] = []
  state.viewIsWhole = true
  for (const run of event.view) {
    const found = messagesOfRun(known, run)
    // One by one: with more than a hundred thousand at once the stack overflows.
    if (found !== undefined) for (const message of found) chosen.push(message)
    else if (options.trimmed === true) state.viewIsWhole = false
    else throw danglingRun(event.seq, run)
  }
  if (!options.keepRemoved) state.stored = []
  state.messages = chosen.map(({ message }) => message)
  state.entries = EntryList.from(chosen)
  state.length = chosen.length
  state.bytes = chosen.reduce((sum, { bytes }) => sum + bytes, 0)
  const { checkpoint } = state
  if (checkpoint !== undefined && event.view.some(([from]) => from < checkpoint.start)) state.checkpoint = undefined
  state.viewSeq = event.seq
  state.viewRuns = event.view
  state.cutSeq = event.seq
  state.runBytes = runBytes(event.view) + (event.rebased === true ? 0 : state.runBytes)
}

/** Every recorded message that this fold knows, by position. */
function recorded<M>(state: SessionState<M>): StoredMessage<M>[] {
  const known = [...state.stored]
  for (let i = 0; i < state.length; i++) {
    // Field by field: to spread an object with a time in it takes ten times as long.
    const { position, previous, of, at, bytes, unfinished } = state.entries.at(i)
    const message = state.messages[i] as M
    known.push(
      storedAs(
        of === undefined ? { position, previous, at, bytes, message } : { position, previous, of, at, bytes, message },
        unfinished,
      ),
    )
  }
  return known.sort((a, b) => a.position - b.position)
}

function messagesOfRun<M>(known: readonly StoredMessage<M>[], [from, to]: Run): StoredMessage<M>[] | undefined {
  let low = 0
  let high = known.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((known[middle] as StoredMessage<M>).position < from) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < known.length && (known[end] as StoredMessage<M>).position <= to) end++
  return known[low]?.position === from && known[end - 1]?.position === to ? known.slice(low, end) : undefined
}

function danglingRun(seq: number, [from, to]: Run): StoreError {
  return new StoreError('CORRUPT', `Event ${seq} refers to messages ${from} to ${to}, which are not all there.`, {
    seq,
  })
}

function restate(state: SessionState<unknown>, event: Compacted): void {
  Object.assign(state, restatedOf(event))
  frozen(state.metadata)
  // 0 says that there has been no summary in any version that can be looked at.
  state.summarySeq = event.summary === '' && event.minVersion === undefined ? 0 : event.seq
  state.minVersion = event.minVersion ?? event.seq
  state.recordedBytes = event.recordedBytes
  state.checkpoint = event.start === undefined ? undefined : { seq: event.seq, start: event.start, at: event.at }
}

/** What a deleted session and one that begins again under its key have in common: nothing but their numbering. */
function beginAnew<M>(state: SessionState<M>): void {
  const { incarnation, first, last, isOutline, lastRecorded, minVersion } = state
  Object.assign(state, emptyState<M>(), { incarnation, first, last, isOutline, lastRecorded, minVersion })
}

/** An operation is known by its last event; the counts of a cut come from its view event. */
function remember(state: SessionState<unknown>, event: KnownEvent<unknown>, before: number): void {
  const id = operationDigest(event.op as string)
  const latest = state.ops.at(-1)
  const earlier = latest?.[0] === id ? latest : undefined
  const known = earlier === undefined ? {} : readOp(earlier)
  const cut =
    event.type === 'Truncated' && !isLimit(event.asked)
      ? { kept: state.length, removed: before - state.length, moved: event.moved === true }
      : known.cut
  const added = isAddition(event) ? withPosition(known.added, event.seq) : known.added
  const op = [
    id,
    event.opHash ?? '',
    event.seq,
    ...(cut === undefined ? [] : [cut.kept, cut.removed, cut.moved ? 1 : 0]),
    ...(added === undefined ? [] : [added]),
  ] as unknown as RecentOp
  const others = earlier === undefined ? state.ops : state.ops.slice(0, -1)
  state.ops = [...others, op].slice(-REMEMBERED_OPS)
}

/** What an operation did, beside the version that resulted. */
export function readOp(op: RecentOp): { cut?: { kept: number; removed: number; moved: boolean }; added?: string } {
  const [, , , ...rest] = op
  const added = rest.at(-1)
  const [kept, removed, moved] = rest
  return {
    ...(typeof kept === 'number' ? { cut: { kept, removed: removed as number, moved: moved === 1 } } : undefined),
    ...(typeof added === 'string' ? { added } : undefined),
  }
}

/** A message that was not in the session before; one that is stored anew is no addition. */
function isAddition(event: KnownEvent<unknown>): boolean {
  return event.type === 'MessageAdded' || (event.type === 'MessageStored' && event.of === undefined)
}

/** The store's own cut, which the caller is not told of. */
function isLimit(asked: CutRequest): boolean {
  return 'maxMessages' in asked || 'maxSessionBytes' in asked || 'maxTokens' in asked
}

/** Ids may be long; the projection, which remembers 32 of them, must not be. */
export function operationDigest(operationId: string): string {
  return textHash(operationId, 1) + textHash(operationId, 2)
}
