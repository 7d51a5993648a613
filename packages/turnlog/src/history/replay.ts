import type { Position, Run, SessionEvent } from '@turnlog/core'
import type { AnyMessage } from '../context.ts'

/** What one event did to the view and the summary. */
export interface Effect {
  readonly added: readonly Position[]
  readonly removed: readonly Position[]
  /** Messages in the view afterwards. */
  readonly length: number
  readonly summary?: { readonly before: string; readonly after: string }
  /** The view is known completely. False in the part of a log that compaction has shortened. */
  readonly isWhole: boolean
}

export interface ReplayedMessage {
  readonly position: Position
  readonly at: number
  readonly message: AnyMessage
  /** Where the message first was; a message that compaction moved is still the same. */
  readonly origin: Position
}

/** Follows a log event by event, to tell what each one changed. */
export class Replay {
  readonly #recorded = new Map<Position, ReplayedMessage>()
  /** Ascending, because events come in order. */
  readonly #positions: Position[] = []
  #view: Position[] = []
  #summary = ''
  #isWhole = true
  #last = 0

  get version(): number {
    return this.#last
  }

  get summary(): string {
    return this.#summary
  }

  get view(): ReplayedMessage[] {
    return this.#view.flatMap((position) => this.#recorded.get(position) ?? [])
  }

  apply(event: SessionEvent<AnyMessage>): Effect {
    if (this.#last === 0 && event.seq > 1) this.#isWhole = false
    this.#last = event.seq
    if ('inert' in event) return this.#effect([], [])
    switch (event.type) {
      case 'MessageAdded':
        this.#record(event.seq, { at: event.at, message: event.message, origin: event.seq })
        this.#view.push(event.seq)
        return this.#effect([event.seq], [])
      case 'MessageStored': {
        const origin = typeof event.of === 'number' ? event.of : (event.of?.[0] ?? event.seq)
        this.#record(event.seq, { at: event.originalAt ?? event.at, message: event.message, origin })
        return this.#effect([], [])
      }
      case 'Truncated':
      case 'HistoryReplaced':
        return this.#setView(event.view)
      case 'SummarySet':
      case 'Compacted': {
        const before = this.#summary
        this.#summary = event.summary
        const isSame = before === event.summary || event.type === 'Compacted'
        return this.#effect([], [], isSame ? undefined : { before, after: event.summary })
      }
      case 'SessionDeleted': {
        const removed = this.#view
        this.#view = []
        this.#summary = ''
        this.#isWhole = true
        return this.#effect([], removed)
      }
      default:
        return this.#effect([], [])
    }
  }

  #record(position: Position, message: Omit<ReplayedMessage, 'position'>): void {
    this.#recorded.set(position, { position, ...message })
    this.#positions.push(position)
  }

  #setView(runs: readonly Run[]): Effect {
    const before = this.#view
    const view = runs.flatMap(([from, to]) => this.#between(from, to))
    // Both ends of each run are messages; if one is not there, compaction has taken it.
    this.#isWhole = runs.every(([from, to]) => this.#recorded.has(from) && this.#recorded.has(to))
    this.#view = view
    const kept = new Set(view.map((position) => this.#originOf(position)))
    const had = new Set(before.map((position) => this.#originOf(position)))
    return this.#effect(
      view.filter((position) => !had.has(this.#originOf(position))),
      before.filter((position) => !kept.has(this.#originOf(position))),
    )
  }

  #between(from: Position, to: Position): Position[] {
    let low = 0
    let high = this.#positions.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#positions[middle] ?? 0) < from) low = middle + 1
      else high = middle
    }
    const found: Position[] = []
    for (let i = low; (this.#positions[i] ?? Infinity) <= to; i++) found.push(this.#positions[i] as Position)
    return found
  }

  #originOf(position: Position): Position {
    return this.#recorded.get(position)?.origin ?? position
  }

  #effect(added: readonly Position[], removed: readonly Position[], summary?: Effect['summary']): Effect {
    const length = this.#view.length
    return { added, removed, length, isWhole: this.#isWhole, ...(summary === undefined ? undefined : { summary }) }
  }
}
