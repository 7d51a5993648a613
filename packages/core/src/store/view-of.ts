import { coveredBy } from '../view/history-of.ts'
import type { UsageSums } from '../normalise/usage-sums.ts'
import type { ShapedHistory } from '../view/history-of.ts'
import type { SessionState } from '../view/session-state.ts'
import { visibleVersion } from '../view/session-state.ts'
import type { SessionView } from './session-store.ts'

const NO_USAGE: UsageSums = Object.freeze({})

/**
 * A state as `load` gives it, in arrays of the caller's own.
 *
 * @param state that of the version that was asked for
 * @param shaped its messages as they were asked for
 */
export function viewOf<M>(
  key: string,
  present: SessionState<M>,
  state: SessionState<M> = present,
  shaped?: ShapedHistory<M>,
): SessionView<M> {
  const { entries } = state
  const messages = shaped?.messages ?? state.messages.slice(0, state.length)
  const { length } = messages
  const placeOf = shaped?.placeOf ?? ((index: number): number => index)
  const places = Array.from({ length }, (_, index) => placeOf(index))
  const unfinished = new Set(places.filter((place) => entries.isUnfinished(place)))
  return {
    key,
    incarnation: visibleVersion(present) === 0 ? '' : present.incarnation,
    version: state === present ? visibleVersion(state) : state.last,
    summary: state.summary,
    messages,
    positions: places.map((place) => entries.position(place)),
    ...sourcesOf(state, shaped),
    times: places.map((place) => entries.time(place)),
    unfinished: [...unfinished].map((place) => entries.position(place)),
    usage: present.usage ?? NO_USAGE,
    metadata: present.metadata,
    createdAt: present.deleted ? 0 : present.createdAt,
    updatedAt: present.deleted ? 0 : present.updatedAt,
  }
}

function sourcesOf<M>(
  { entries, length }: SessionState<M>,
  shaped: ShapedHistory<M> | undefined,
): Pick<SessionView<M>, 'sources' | 'through'> {
  if (shaped?.sources === undefined) return {}
  const { sources, start } = shaped
  return {
    sources: sources.map((places) => places.map((place) => entries.position(place))),
    through: coveredBy(sources, start, length).map((covered) => (covered === 0 ? 0 : entries.position(covered - 1))),
  }
}
