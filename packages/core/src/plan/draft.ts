import type { EventRecord } from '../backend/event-record.ts'
import type { CutRequest, EventType } from '../events/session-event.ts'
import type { Run } from '../events/run.ts'
import { EVENT_SCHEMA } from '../events/upcast.ts'
import type { SessionEvent } from '../events/session-event.ts'
import { newId } from '../ids/new-id.ts'
import type { Json } from '../json/json.ts'
import { normaliseUsage } from '../normalise/normalise-usage.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { applyEvent } from '../view/fold.ts'
import type { SessionState, StoredMessage } from '../view/session-state.ts'
import { copyState } from '../view/session-state.ts'

/**
 * How many earlier positions of a message still name it. Without an end, a system prompt would carry one more with each
 * compaction. A position from before so many moves is answered as if the message had left the view: load again.
 */
const REMEMBERED_POSITIONS = 32

/** Notes of this kind are summed. */
const USAGE_KIND = 'usage'

/** The caller's id for an operation and a digest of what was asked for under it. */
export interface Operation {
  readonly id: string
  readonly hash: string
}

/**
 * The next append of a session while it is planned: the settled state, the operations planned so far, and the events
 * they came to. Each event is folded as soon as it is added, so the next operation sees a session in which the earlier
 * ones have happened. Giving a draft up leaves the settled state as it was.
 */
export class Draft<M> {
  readonly state: SessionState<M>
  readonly events: EventRecord[] = []
  /** The time that the next event gets; an import gives each event its own. */
  now: number
  #trimBefore: number | undefined
  /** Set while an operation with an id is planned. */
  operation: Operation | undefined

  constructor(settled: SessionState<M>, now: number) {
    this.state = copyState(settled)
    this.now = now
    if (this.state.incarnation === '') this.state.incarnation = newId()
  }

  /** The logical start after this append, if it moves. */
  get trimBefore(): number | undefined {
    return this.#trimBefore
  }

  trim(before: number): void {
    this.#trimBefore = before
    this.state.first = before
  }

  addMessage({ message, bytes, unfinished }: NormalMessage<M>): void {
    const json = message as Json
    this.#add('MessageAdded', unfinished === true ? { message: json, unfinished } : { message: json }, bytes)
  }

  /** Records a message for a view event of this append to refer to. @returns its position */
  storeMessage(
    { message, bytes, unfinished }: NormalMessage<M>,
    origin: { readonly of?: readonly number[]; readonly at?: number } = {},
  ): number {
    const { of = [], at } = origin
    return this.#add(
      'MessageStored',
      {
        message: message as Json,
        ...(of.length > 0 ? { of: of.length === 1 ? (of[0] as number) : of } : undefined),
        ...(at === undefined ? undefined : { originalAt: at }),
        ...(unfinished === true ? { unfinished } : undefined),
      },
      bytes,
    )
  }

  /** Records a message of the session once more, so that its old place can go. @returns where it is now */
  moveMessage(entry: StoredMessage<M>): StoredMessage<M> {
    const of = [...(entry.of ?? []), entry.position].slice(-REMEMBERED_POSITIONS)
    return { ...entry, of, position: this.storeMessage(entry, { of, at: entry.at }), previous: -1 }
  }

  truncate(view: readonly Run[], asked: CutRequest, flags: { moved: boolean; rebased: boolean }): void {
    this.#add('Truncated', {
      view: view,
      asked: asked,
      ...(flags.moved ? { moved: true } : undefined),
      ...(flags.rebased ? { rebased: true } : undefined),
    })
  }

  replaceView(view: readonly Run[], rebased: boolean): void {
    this.#add('HistoryReplaced', { view: view, ...(rebased ? { rebased } : undefined) })
  }

  setSummary(summary: string): void {
    this.#add('SummarySet', { summary })
  }

  note(kind: string, data: Json): void {
    const usage = kind === USAGE_KIND ? normaliseUsage(data) : undefined
    this.#add('Noted', { kind, data, ...(usage === undefined ? undefined : { usage: usage as unknown as Json }) })
  }

  /** Any event that neither carries a message nor changes the view. */
  add(type: 'MetadataSet' | 'Noted' | 'Compacted' | 'SessionDeleted', data: Record<string, Json>): number {
    return this.#add(type, data)
  }

  /** Messages that the next view event may refer to although they are neither in the view nor stored by this append. */
  recall(messages: readonly StoredMessage<M>[]): void {
    for (const message of messages) this.state.stored.push(message)
  }

  #add(type: EventType, data: Record<string, Json>, messageBytes?: number): number {
    const { operation } = this
    const seq = this.state.last + 1
    const v = EVENT_SCHEMA[type].length + 1
    const event: EventRecord =
      operation === undefined
        ? { seq, id: newId(), type, v, at: this.now, ...data }
        : { seq, id: newId(), type, v, at: this.now, op: operation.id, opHash: operation.hash, ...data }
    Object.freeze(event)
    this.events.push(event)
    applyEvent(this.state, event as unknown as SessionEvent<M>, { keepRemoved: false }, messageBytes)
    return event.seq
  }
}
