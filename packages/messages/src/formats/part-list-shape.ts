import { isFields, type Fields } from './fields.ts'
import type { Answer, Link, Links, Shape } from './shape.ts'

export interface PartListShapeOptions {
  readonly name: string
  partsOf(message: Fields): readonly unknown[] | undefined
  withParts(message: Fields, parts: readonly unknown[]): object
  callOf(part: Fields): Omit<Link, 'part'> | undefined
  resultOf(part: Fields): Omit<Link, 'part'> | undefined
  /** The parts that stand where the call stood, or one part for a message of its own. */
  answerPart(part: Fields, id: string): { readonly inside: readonly unknown[] } | { readonly part: object } | undefined
  /** The message that carries an answer, if there is none yet. Without it, all answers are inside. */
  reply?(message: Fields, part: object): object
  /** A part that the API refuses at the end of a message. */
  isReasoning?(part: Fields): boolean
}

/** Formats in which a message is a list of parts, some of which are calls or results. */
export function partListShape(options: PartListShapeOptions): Shape {
  const shape: Shape = {
    name: options.name,

    read(message: Fields): Links | undefined {
      const parts = options.partsOf(message)
      return parts === undefined ? undefined : readParts(parts, options)
    },

    rewrite(message: Fields, replacements: ReadonlyMap<number, readonly unknown[]>): object | undefined {
      const parts = options.partsOf(message) ?? []
      const rewritten = parts.flatMap((part, index) => replacements.get(index) ?? [part])
      const isReasoning = (part: unknown): boolean => isFields(part) && options.isReasoning?.(part) === true
      const end = rewritten.findLastIndex((part) => !isReasoning(part)) + 1
      return end === 0 ? undefined : options.withParts(message, rewritten.slice(0, end))
    },

    pick: (message, parts) =>
      options.withParts(
        message,
        (options.partsOf(message) ?? []).filter((_, index) => parts.has(index)),
      ),

    answer(message: Fields, call: Link): Answer | undefined {
      const part = options.partsOf(message)?.[call.part]
      const answer = isFields(part) ? options.answerPart(part, call.id) : undefined
      if (answer === undefined || 'inside' in answer) return answer
      const reply = options.reply?.(message, answer.part)
      return reply === undefined ? undefined : { reply }
    },
  }
  if (options.reply === undefined) return shape
  return { ...shape, join: (carrier, replies) => joinParts(carrier, replies, options) }
}

function readParts(parts: readonly unknown[], options: PartListShapeOptions): Links | undefined {
  const calls = new Map<number, Link>()
  const openById = new Map<string, number[]>()
  const results: Link[] = []
  for (const [index, part] of parts.entries()) {
    if (!isFields(part)) continue
    const call = options.callOf(part)
    if (call !== undefined) {
      calls.set(index, { ...call, part: index })
      const open = openById.get(call.id)
      if (open === undefined) openById.set(call.id, [index])
      else open.push(index)
    }
    const result = options.resultOf(part)
    if (result === undefined) continue
    const answered = openById.get(result.id)?.pop()
    if (answered === undefined) results.push({ ...result, part: index })
    else calls.delete(answered)
  }
  return calls.size === 0 && results.length === 0 ? undefined : { calls: [...calls.values()], results }
}

/** Behind the last result that is there: formats that mix results with text want the results first. */
function joinParts(carrier: Fields, replies: readonly object[], options: PartListShapeOptions): object | undefined {
  const parts = options.partsOf(carrier)
  if (parts === undefined) return undefined
  const last = parts.findLastIndex((part) => isFields(part) && options.resultOf(part) !== undefined)
  const added = replies.flatMap((reply) => (isFields(reply) ? (options.partsOf(reply) ?? []) : []))
  return options.withParts(carrier, [...parts.slice(0, last + 1), ...added, ...parts.slice(last + 1)])
}
