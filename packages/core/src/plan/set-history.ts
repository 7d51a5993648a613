import { fingerprint } from '../normalise/fingerprint.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { sameJson } from '../normalise/same-json.ts'
import type { SessionState, StoredMessage } from '../view/session-state.ts'
import type { Draft } from './draft.ts'
import { matchHistory } from './match-history.ts'
import { rebaseRuns } from './rebase.ts'
import { viewMessages } from './view-messages.ts'

/**
 * Makes the view equal to a given history by writing only what is new: nothing if they are equal, plain additions if
 * the history is longer, otherwise a view event that refers to what is already recorded.
 *
 * @param recorded messages of the log that left the view and may come back
 */
export function planSetHistory<M extends object>(
  draft: Draft<M>,
  history: readonly NormalMessage<M>[],
  recorded: readonly StoredMessage<M>[],
): void {
  const { state } = draft
  const matches = matchHistory(state, history)
  const returning = matchRecorded(state, history, matches, recorded)
  const firstTrailing = trailingStart(history.length, (index) => matches[index] !== -1 || returning.has(index))
  if (!isPrefix(matches, firstTrailing) || firstTrailing !== state.length) {
    const present = viewMessages(state)
    const wanted = matches.slice(0, firstTrailing).map((match, i) => {
      return returning.get(i) ?? (match >= 0 ? (present[match] as StoredMessage<M>) : (history[i] as NormalMessage<M>))
    })
    draft.recall([...returning.values()])
    const { view, rebased } = rebaseRuns(draft, wanted)
    draft.replaceView(view, rebased)
  }
  for (const message of history.slice(firstTrailing)) draft.addMessage(message)
}

/**
 * What of a history is neither in the view nor said to be new by its place: worth looking for in the log. New messages
 * at the end are not, unless nothing of the view is left.
 */
export function missingMessages<M extends object>(state: SessionState<M>, history: readonly NormalMessage<M>[]): M[] {
  if (state.recordedBytes <= state.bytes) return []
  const matches = matchHistory(state, history)
  const hasAny = matches.some((match) => match !== -1)
  const end = hasAny ? trailingStart(history.length, (index) => matches[index] !== -1) : history.length
  return history.slice(0, end).flatMap(({ message }, index) => (matches[index] === -1 ? [message] : []))
}

/** Which recorded message each one is that the view does not have, in ascending order as far as possible. */
function matchRecorded<M extends object>(
  state: SessionState<M>,
  history: readonly NormalMessage<M>[],
  matches: readonly number[],
  recorded: readonly StoredMessage<M>[],
): Map<number, StoredMessage<M>> {
  const found = new Map<number, StoredMessage<M>>()
  if (recorded.length === 0) return found
  const present = new Set<number>()
  for (const { position, of = [] } of viewMessages(state)) for (const own of [...of, position]) present.add(own)
  const byPrint = new Map<number, StoredMessage<M>[]>()
  for (const stored of recorded) {
    if (stored.position < state.first || present.has(stored.position)) continue
    const print = fingerprint(stored.message)
    const known = byPrint.get(print)
    if (known === undefined) byPrint.set(print, [stored])
    else known.push(stored)
  }
  let last = 0
  for (const [index, { message }] of history.entries()) {
    if (matches[index] !== -1) continue
    const candidates = byPrint.get(fingerprint(message)) ?? []
    // Behind the one before it if possible, so that runs stay long.
    const behind = candidates.findIndex((stored) => stored.position > last && sameJson(message, stored.message))
    const at = behind >= 0 ? behind : candidates.findIndex((stored) => sameJson(message, stored.message))
    const [stored] = at < 0 ? [] : candidates.splice(at, 1)
    if (stored === undefined) continue
    found.set(index, stored)
    last = stored.position
  }
  return found
}

/** New messages at the end need no reference: they are added after the view event. */
function trailingStart(length: number, isKnown: (index: number) => boolean): number {
  let start = length
  while (start > 0 && !isKnown(start - 1)) start--
  return start
}

function isPrefix(matches: readonly number[], length: number): boolean {
  for (let i = 0; i < length; i++) if (matches[i] !== i) return false
  return true
}
