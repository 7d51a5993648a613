import type { Position } from '../events/run.ts'
import type { SessionEvent } from '../events/session-event.ts'
import type { ViewEntry } from './entry-list.ts'
import { applyEvent } from './fold.ts'
import { emptyState } from './session-state.ts'

/** What one event did to the view and the summary. */
export interface ViewEffect {
  /** Messages that came into the view, in its order. */
  readonly added: readonly Position[]
  /** Messages that left the view, in the order they had. */
  readonly removed: readonly Position[]
  /** Messages that stay, under another position: they were stored anew. Absent if there are none. */
  readonly moved?: readonly (readonly [from: Position, to: Position])[]
  /** How many messages the view has now. */
  readonly length: number
  /** Absent if the summary stays as it is. */
  readonly summary?: { readonly before: string; readonly after: string }
  /** False where compaction removed messages that this view had: what is said of it is about the rest. */
  readonly isWhole: boolean
}

/**
 * Folds the events of one session, in their order, and says what each of them did. Give it every event from the first
 * that is left, as `events` and `watch` deliver them. It keeps positions, not messages.
 */
export class ViewFold {
  readonly #state = emptyState<undefined>()

  /** Seq of the last event that was applied. */
  get version(): number {
    return this.#state.last
  }

  get summary(): string {
    return this.#state.summary
  }

  /** The view after the last event. */
  get positions(): Position[] {
    const { entries, length } = this.#state
    return Array.from({ length }, (_, index) => entries.position(index))
  }

  apply(event: SessionEvent<unknown>): ViewEffect {
    const state = this.#state
    if (state.last === 0 && event.seq > 1) state.viewIsWhole = false
    const isViewChange = 'view' in event || event.type === 'SessionDeleted'
    const before = isViewChange ? this.#entries() : []
    const summary = state.summary
    const bare = ('message' in event ? { ...event, message: undefined } : event) as SessionEvent<undefined>
    applyEvent(state, bare, { keepRemoved: true, trimmed: true }, 0)
    const { length, viewIsWhole: isWhole } = state
    if (isViewChange) return { ...compare(before, this.#entries()), length, isWhole }
    const effect = { added: event.type === 'MessageAdded' ? [event.seq] : [], removed: [], length, isWhole }
    if (event.type !== 'SummarySet' || summary === state.summary) return effect
    return { ...effect, summary: { before: summary, after: state.summary } }
  }

  #entries(): ViewEntry[] {
    const { entries, length } = this.#state
    return Array.from({ length }, (_, index) => entries.at(index))
  }
}

function compare(
  before: readonly ViewEntry[],
  after: readonly ViewEntry[],
): Pick<ViewEffect, 'added' | 'removed' | 'moved'> {
  const present = new Map<Position, Position>()
  for (const entry of after) for (const position of positionsOf(entry)) present.set(position, entry.position)
  const removed: Position[] = []
  const moved: [Position, Position][] = []
  const kept = new Set<Position>()
  for (const entry of before) {
    const known = positionsOf(entry).find((position) => present.has(position))
    const position = known === undefined ? undefined : (present.get(known) as Position)
    if (position === undefined) removed.push(entry.position)
    else kept.add(position)
    if (position !== undefined && position !== entry.position) moved.push([entry.position, position])
  }
  const added = after.map(({ position }) => position).filter((position) => !kept.has(position))
  return { added, removed, ...(moved.length > 0 ? { moved } : {}) }
}

/** Every position that the message ever had: one that was stored anew is still the same message. */
function positionsOf({ position, of = [] }: ViewEntry): readonly Position[] {
  return [...of, position]
}
