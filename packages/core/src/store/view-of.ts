import type { SessionState } from '../view/session-state.ts'
import { visibleVersion } from '../view/session-state.ts'
import type { SessionView } from './session-store.ts'

/** A state as `load` gives it, in arrays of the caller's own. */
export function viewOf<M>(key: string, state: SessionState<M>): SessionView<M> {
  const { deleted, entries, length } = state
  return {
    key,
    version: visibleVersion(state),
    summary: state.summary,
    messages: state.messages.slice(0, length),
    positions: Array.from({ length }, (_, index) => entries.position(index)),
    times: Array.from({ length }, (_, index) => entries.time(index)),
    metadata: state.metadata,
    createdAt: deleted ? 0 : state.createdAt,
    updatedAt: deleted ? 0 : state.updatedAt,
  }
}
