import { isFields } from '../formats/fields.ts'
import type { Link } from '../formats/shape.ts'
import type { MatchedCall, Place } from './match-pairs.ts'
import { isAside, speakerOf, turnOf } from './speaker.ts'
import type { ShapedLinks } from './tool-links.ts'

/**
 * How far behind a message with calls their results may stand. Items of one turn may stand in any order until somebody
 * speaks; everywhere else results come directly behind the message with the calls, and nothing between.
 */
export class PairZones {
  readonly #messages: readonly object[]
  readonly #links: readonly ShapedLinks[]
  /** By result: where its call is. */
  readonly #owners = new Map<Link, number>()
  /** By message: the first from there on at which somebody speaks. */
  readonly #turnEnds: number[]
  readonly #leaving = new Set<number>()

  constructor(
    messages: readonly object[],
    links: readonly ShapedLinks[],
    calls: readonly MatchedCall[],
    orphans: readonly Place[],
  ) {
    this.#messages = messages
    this.#links = links
    for (const { at, result } of calls) if (result !== undefined) this.#owners.set(result.link, at)
    const orphaned = new Set(orphans.map(({ at }) => at))
    this.#turnEnds = Array<number>(messages.length + 1).fill(messages.length)
    for (let at = messages.length - 1; at >= 0; at--) {
      const own = links[at]
      const isBare = own === undefined || (own.calls.length === 0 && (own.results.length === 0 || orphaned.has(at)))
      const ends = isBare && speakerOf(messages[at]) !== undefined && !this.#isNothing(at)
      this.#turnEnds[at] = ends ? at : (this.#turnEnds[at + 1] ?? messages.length)
    }
  }

  /** The first message behind the one with calls that no result of them may come after. */
  endOf(at: number): number {
    const shape = this.#links[at]?.shape
    if (shape === undefined || shape.isItems === true) return this.#turnEnds[at + 1] ?? this.#messages.length
    let end = at + 1
    while (end < this.#messages.length && this.#belongsTo(at, end)) {
      end++
      if (!this.#isOnlyResults(end - 1)) break
    }
    return end
  }

  /** Where further results for the calls of a message go: behind the last that are there, but never behind a text. */
  lastOf(inPlace: readonly MatchedCall[], at: number): number {
    const shape = this.#links[at]?.shape
    let last = at
    for (const { result } of inPlace) {
      if (result === undefined || result.at <= last) continue
      const canJoin = shape?.join !== undefined && this.#links[result.at]?.shape === shape
      if (canJoin || this.#isOnlyResults(result.at)) last = result.at
    }
    return last
  }

  /** A message that goes elsewhere stands in nobody's way. */
  leave(at: number): void {
    this.#leaving.add(at)
  }

  #belongsTo(at: number, index: number): boolean {
    if (this.#leaving.has(index) || isAside(this.#messages[index]) || this.#isSameTurn(at, index)) return true
    const { calls = [], results = [] } = this.#links[index] ?? {}
    if (calls.length > 0 || results.length === 0) return false
    const owners = results.map((link) => this.#owners.get(link)).filter((owner) => owner !== undefined)
    if (owners.length === 0) return this.#isNothing(index)
    return owners.every((owner) => owner === at || this.#isSameTurn(at, owner))
  }

  #isSameTurn(at: number, other: number): boolean {
    const turn = turnOf(this.#messages[at])
    return turn !== undefined && turn === turnOf(this.#messages[other])
  }

  /** False if a text comes with the results: that ends the place for results. */
  #isOnlyResults(index: number): boolean {
    const { results = [] } = this.#links[index] ?? {}
    return results.length === 0 || this.#isNothing(index)
  }

  /** Nothing is left of the message without its results. */
  #isNothing(index: number): boolean {
    const { shape, results = [] } = this.#links[index] ?? {}
    const message = this.#messages[index]
    if (results.length === 0) return false
    if (shape === undefined || !isFields(message)) return true
    return shape.rewrite(message, new Map(results.map(({ part }) => [part, []]))) === undefined
  }
}
