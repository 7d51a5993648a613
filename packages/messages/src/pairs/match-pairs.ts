import type { Link } from '../formats/shape.ts'
import { PairWalk, type WalkedCall } from './pair-walk.ts'
import type { ShapedLinks } from './tool-links.ts'

/** Where a call or a result is. */
export interface Place {
  /** Index of the message. */
  readonly at: number
  readonly link: Link
}

export interface MatchedCall extends Place {
  /** The result that belongs to it, wherever it stands. */
  readonly result: Place | undefined
  /** The result came when its turn was over. */
  readonly isLate: boolean
  /** Nobody answered it, but somebody may: the model has not gone on since. */
  readonly isPending: boolean
}

export interface Matching {
  readonly calls: readonly MatchedCall[]
  /** Results that answer nothing. */
  readonly orphans: readonly Place[]
}

/**
 * Which result belongs to which call. First by blocks, so that ids that come again in every turn (`call_0`) pair within
 * their own; a result that is left over then belongs to the newest call of its id before it that nobody answered.
 */
export function matchPairs(messages: readonly object[], links: readonly ShapedLinks[]): Matching {
  const walk = new PairWalk()
  const made: WalkedCall[] = []
  const results = new Map<WalkedCall, Place>()
  const left: Place[] = []
  for (const [at, message] of messages.entries()) {
    const own = links[at]
    if (own === undefined) continue
    const step = walk.step(at, message, own)
    for (const call of step.made) made.push(call)
    const orphaned = new Set(step.orphans)
    const settled = own.results.filter((link) => !orphaned.has(link))
    for (const [index, call] of step.answered.entries()) {
      const link = settled[index]
      if (link !== undefined) results.set(call, { at, link })
    }
    for (const link of step.orphans) left.push({ at, link })
  }
  const inTime = new Set(results.keys())
  const orphans = assignLate(made, left, results)
  return {
    calls: made.map((call) => ({
      at: call.index,
      link: call.link,
      result: results.get(call),
      isLate: !inTime.has(call),
      // A call left open before the last block is not pending: the model went on without it.
      isPending: call.state === 'open' && walk.blockStarts[call.block + 1] === undefined,
    })),
    orphans,
  }
}

/** From the end, so that of several late results of one id each gets its own call, in order. Gives the orphans. */
function assignLate(made: readonly WalkedCall[], left: readonly Place[], results: Map<WalkedCall, Place>): Place[] {
  if (left.length === 0) return []
  const waiting = new Map<string, WalkedCall[]>()
  for (const call of made) {
    if (results.has(call)) continue
    for (const key of [call.link.id, call.link.alias]) {
      if (key === undefined) continue
      const calls = waiting.get(key)
      if (calls === undefined) waiting.set(key, [call])
      else calls.push(call)
    }
  }
  const orphans: Place[] = []
  for (const place of left.toReversed()) {
    const { id, alias } = place.link
    const candidates = [...(waiting.get(id) ?? []), ...(alias === undefined ? [] : (waiting.get(alias) ?? []))]
    const call = candidates.findLast((one) => one.index < place.at && !results.has(one))
    if (call === undefined) orphans.unshift(place)
    else results.set(call, place)
  }
  return orphans
}
