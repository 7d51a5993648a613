import { fingerprint } from '../normalise/fingerprint.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { sameJson } from '../normalise/same-json.ts'
import type { SessionState } from '../view/session-state.ts'

/**
 * So many messages with one fingerprint are told apart by comparing them in full. More would make a history of
 * look-alikes, such as reports from a template, quadratic: those are looked up by their text, which is made once.
 */
const MAX_COMPARED = 8

/**
 * For each message of a history, the index of the message of the view that it is, or -1 if it is new. A message of the
 * view is used once, and none that is still there is taken for new. Linear: first everything that stands where it stood,
 * counted from the front or from the back, then what moved, by fingerprint.
 */
export function matchHistory<M extends object>(state: SessionState<M>, history: readonly NormalMessage<M>[]): number[] {
  const { messages, length } = state
  const matches = Array.from<number>({ length: history.length }).fill(-1)
  const used = new Uint8Array(length)
  const matchAt = (wanted: number, index: number): boolean => {
    if (index < 0 || index >= length || used[index] === 1) return false
    if (!sameJson(history[wanted]?.message, messages[index])) return false
    matches[wanted] = index
    used[index] = 1
    return true
  }
  const shift = length - history.length
  const moved: number[] = []
  for (let i = 0; i < history.length; i++) {
    if (!matchAt(i, i) && (shift === 0 || !matchAt(i, i + shift))) moved.push(i)
  }
  if (moved.length > 0) matchMoved(messages, history, moved, used, matchAt)
  return matches
}

function matchMoved<M>(
  messages: readonly M[],
  history: readonly NormalMessage<M>[],
  moved: readonly number[],
  used: Uint8Array,
  matchAt: (wanted: number, index: number) => boolean,
): void {
  const places = new Map<number, Places>()
  for (let i = 0; i < used.length; i++) {
    if (used[i] === 1) continue
    const print = fingerprint(messages[i])
    const known = places.get(print)
    if (known === undefined) places.set(print, { all: [i], byText: undefined })
    else known.all.push(i)
  }
  if (places.size === 0) return
  for (const wanted of moved) {
    const message = history[wanted]?.message
    const known = places.get(fingerprint(message))
    if (known === undefined) continue
    // The earliest place first, so that equal messages keep their order and runs stay long.
    if (known.all.length <= MAX_COMPARED) {
      known.all.some((index) => matchAt(wanted, index))
      continue
    }
    known.byText ??= latestFirst(messages, known.all)
    const index = known.byText.get(JSON.stringify(message))?.pop()
    if (index !== undefined) matchAt(wanted, index)
  }
}

/** Where the messages with one fingerprint stand. */
interface Places {
  readonly all: number[]
  /** The same by their text, the earliest last, so that it can be popped. */
  byText: Map<string, number[]> | undefined
}

function latestFirst(messages: readonly unknown[], places: readonly number[]): Map<string, number[]> {
  const byText = new Map<string, number[]>()
  for (const index of places.toReversed()) {
    const text = JSON.stringify(messages[index])
    const known = byText.get(text)
    if (known === undefined) byText.set(text, [index])
    else known.push(index)
  }
  return byText
}
