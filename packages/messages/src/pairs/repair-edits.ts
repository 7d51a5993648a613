import { MADE_UP, type RepairEntry } from './repair-entry.ts'
import { isFields } from '../formats/fields.ts'
import type { Shape } from '../formats/shape.ts'
import { readLinks, type ShapedLinks, type ToolLinksOf } from './tool-links.ts'

/** Edits to a list of messages by their original places, applied in one go. */
export class RepairEdits {
  readonly #entries: readonly RepairEntry[]
  readonly #links: readonly ShapedLinks[]
  readonly #custom: ToolLinksOf | undefined
  readonly #removed = new Set<number>()
  readonly #replaced = new Map<number, object>()
  /** By the place they go behind, then by the message with the calls. */
  readonly #answers = new Map<number, Map<number, object[]>>()

  constructor(entries: readonly RepairEntry[], links: readonly ShapedLinks[], custom: ToolLinksOf | undefined) {
    this.#entries = entries
    this.#links = links
    this.#custom = custom
  }

  remove(at: number): void {
    this.#removed.add(at)
  }

  removeWhileBefore(at: number, matches: (message: object) => boolean): void {
    for (let before = at - 1; before >= 0; before--) {
      const entry = this.#entries[before]
      if (entry === undefined || !matches(entry.message)) return
      this.#removed.add(before)
    }
  }

  replace(at: number, message: object): void {
    this.#replaced.set(at, message)
  }

  /** `after` is the message with the calls, or the last one that has results for them. */
  answer(callsAt: number, after: number, reply: object): void {
    const byCalls = this.#answers.get(after) ?? new Map<number, object[]>()
    const replies = byCalls.get(callsAt)
    if (replies === undefined) byCalls.set(callsAt, [reply])
    else replies.push(reply)
    this.#answers.set(after, byCalls)
  }

  apply(): RepairEntry[] {
    const edited: RepairEntry[] = []
    for (const [at, entry] of this.#entries.entries()) {
      let message = this.#replaced.get(at) ?? entry.message
      const added: object[] = []
      for (const [callsAt, replies] of this.#answers.get(at) ?? []) {
        const shape = this.#links[callsAt]?.shape
        const canCarry = callsAt !== at && !this.#removed.has(at) && this.#links[at]?.shape === shape
        const joined = canCarry ? this.#join(message, replies, shape) : undefined
        if (joined === undefined) {
          for (const reply of this.#asMessages(replies, shape)) added.push(reply)
        } else message = joined
      }
      if (!this.#removed.has(at)) edited.push({ message, index: entry.index })
      for (const reply of added) edited.push({ message: reply, index: MADE_UP })
    }
    return edited
  }

  #asMessages(replies: readonly object[], shape: Shape | undefined): readonly object[] {
    const [first, ...rest] = replies
    if (first === undefined || rest.length === 0) return replies
    const joined = this.#join(first, rest, shape)
    return joined === undefined ? replies : [joined]
  }

  #join(carrier: object, replies: readonly object[], shape: Shape | undefined): object | undefined {
    const joined = isFields(carrier) ? shape?.join?.(carrier, replies) : undefined
    if (joined === undefined || this.#custom === undefined) return joined
    const seen = readLinks(joined, this.#custom).results.length - readLinks(carrier, this.#custom).results.length
    return seen === replies.length ? joined : undefined
  }
}
