import { fingerprint } from '../normalise/fingerprint.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { sameJson } from '../normalise/same-json.ts'
import type { SessionState } from '../view/session-state.ts'

/**
 * For each message of a history, the index of the message of the view that it is, or -1 if it is new. A message of the
 * view is used once. Linear: prefix and suffix by comparison, the middle by fingerprint, and comparison only where
 * fingerprints agree.
 */
export function matchHistory<M extends object>(state: SessionState<M>, history: readonly NormalMessage<M>[]): number[] {
  const { messages, length } = state
  const matches = Array.from<number>({ length: history.length }).fill(-1)
  const same = (index: number, wanted: number): boolean => sameJson(history[wanted]?.message, messages[index])

  let start = 0
  while (start < history.length && start < length && same(start, start)) matches[start] = start++
  let end = 0
  while (end < history.length - start && end < length - start && same(length - 1 - end, history.length - 1 - end)) {
    matches[history.length - 1 - end] = length - 1 - end
    end += 1
  }
  if (start === history.length - end || start === length - end) return matches

  const places = new Map<number, number[]>()
  for (let i = length - end - 1; i >= start; i--) {
    const print = fingerprint(messages[i])
    const known = places.get(print)
    if (known === undefined) places.set(print, [i])
    else known.push(i)
  }
  for (let i = start; i < history.length - end; i++) {
    // The earliest unused place is the last in its list, so equal messages keep their order and runs stay long.
    const candidates = places.get(fingerprint(history[i]?.message))
    const found = candidates?.findLastIndex((place) => same(place, i)) ?? -1
    if (candidates === undefined || found < 0) continue
    matches[i] = candidates[found] as number
    candidates.splice(found, 1)
  }
  return matches
}
