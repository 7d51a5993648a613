import { isFields } from '../formats/fields.ts'
import { UNKNOWN_PART, type Shape } from '../formats/shape.ts'
import { joinSources, type RepairEntry } from './repair-entry.ts'
import { readLinks, type ShapedLinks, type ToolLinksOf } from './tool-links.ts'

type Replacements = ReadonlyMap<number, readonly unknown[]>

/** Edits to a list of messages by their original places, applied in one go. */
export class MessageEdits {
  readonly #entries: readonly RepairEntry[]
  readonly #links: readonly ShapedLinks[]
  readonly #custom: ToolLinksOf | undefined
  readonly #removed = new Set<number>()
  readonly #replacements = new Map<number, Map<number, readonly unknown[]>>()
  /** By the place they go behind, then by the message with the calls. */
  readonly #inserted = new Map<number, Map<number, RepairEntry[]>>()

  constructor(entries: readonly RepairEntry[], links: readonly ShapedLinks[], custom: ToolLinksOf | undefined) {
    this.#entries = entries
    this.#links = links
    this.#custom = custom
  }

  /** By nothing: dropped. */
  replacePart(at: number, part: number, by: readonly unknown[]): void {
    const replacements = this.#replacements.get(at) ?? new Map<number, readonly unknown[]>()
    replacements.set(part, by)
    this.#replacements.set(at, replacements)
  }

  /** Whether nothing is left of a message. */
  isRemoved(at: number): boolean {
    const replacements = this.#replacements.get(at)
    return replacements !== undefined && this.rewrite(at, replacements) === undefined
  }

  removeWhileBefore(at: number, matches: (message: object) => boolean): void {
    for (let before = at - 1; before >= 0; before--) {
      const entry = this.#entries[before]
      if (entry === undefined || !matches(entry.message)) return
      this.#removed.add(before)
    }
  }

  /** `behind` is the message with the calls, or the last one that has results for them. */
  insert(callsAt: number, behind: number, entry: RepairEntry): void {
    const byCalls = this.#inserted.get(behind) ?? new Map<number, RepairEntry[]>()
    const entries = byCalls.get(callsAt)
    if (entries === undefined) byCalls.set(callsAt, [entry])
    else entries.push(entry)
    this.#inserted.set(behind, byCalls)
  }

  /** Undefined if nothing was edited. */
  apply(): RepairEntry[] | undefined {
    if (this.#removed.size === 0 && this.#replacements.size === 0 && this.#inserted.size === 0) return undefined
    const edited: RepairEntry[] = []
    for (const [at, entry] of this.#entries.entries()) {
      const replacements = this.#replacements.get(at)
      const left = replacements === undefined ? entry.message : this.rewrite(at, replacements)
      let carrier = left === undefined || this.#removed.has(at) ? undefined : { ...entry, message: left }
      const added: RepairEntry[] = []
      for (const [callsAt, pieces] of this.#inserted.get(at) ?? []) {
        const shape = this.#links[callsAt]?.shape
        const isCarrier = carrier !== undefined && callsAt !== at && this.#links[at]?.shape === shape
        const joined = isCarrier && carrier !== undefined ? this.#join([carrier, ...pieces], shape) : undefined
        // Never behind a text: that ends the place for results.
        const to = callsAt !== at && this.#hasText(at) ? edited : added
        if (joined !== undefined) carrier = joined
        else for (const piece of this.#asOne(pieces, shape)) to.push(piece)
      }
      if (carrier !== undefined) edited.push(carrier)
      for (const piece of added) edited.push(piece)
    }
    return edited
  }

  rewrite(at: number, replacements: Replacements): object | undefined {
    const message = this.#entries[at]?.message
    const { shape, calls, results } = this.#links[at] ?? readLinks(undefined)
    if (shape === undefined || !isFields(message) || replacements.has(UNKNOWN_PART)) return undefined
    const rewritten = shape.rewrite(message, replacements)
    if (this.#custom === undefined || rewritten === undefined) return rewritten
    // A custom function that sees the same links as before cannot have looked at the parts.
    const left = readLinks(rewritten, this.#custom)
    return left.calls.length + left.results.length < calls.length + results.length ? rewritten : undefined
  }

  #hasText(at: number): boolean {
    const results = this.#links[at]?.results ?? []
    return results.length > 0 && this.rewrite(at, new Map(results.map(({ part }) => [part, []]))) !== undefined
  }

  #asOne(pieces: readonly RepairEntry[], shape: Shape | undefined): readonly RepairEntry[] {
    if (pieces.length < 2) return pieces
    const joined = this.#join(pieces, shape)
    return joined === undefined ? pieces : [joined]
  }

  #join(entries: readonly RepairEntry[], shape: Shape | undefined): RepairEntry | undefined {
    const [carrier, ...rest] = entries
    if (carrier === undefined || !isFields(carrier.message)) return undefined
    if (rest.some(({ message }) => readLinks(message).shape !== shape)) return undefined
    const message = shape?.join?.(
      carrier.message,
      rest.map((entry) => entry.message),
    )
    if (message === undefined) return undefined
    const joined = { message, sources: joinSources(entries) }
    if (this.#custom === undefined) return joined
    const seen = entries.reduce((sum, entry) => sum + readLinks(entry.message, this.#custom).results.length, 0)
    return readLinks(message, this.#custom).results.length === seen ? joined : undefined
  }
}
