import { isFields } from '../formats/fields.ts'
import { NO_LINKS, UNKNOWN_PART, type Link, type Links, type Shape } from '../formats/shape.ts'
import { shapes } from '../formats/shapes.ts'

/** The calls that a message leaves for later messages to answer, and the earlier calls that it answers. */
export interface ToolLinks {
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

/** Teaches message shapes of your own: asked before the built-in ones, which undefined leaves to decide. */
export type ToolLinksOf = (message: object) => ToolLinks | undefined

/** Links with what is needed to change the message; `shape` is missing if only a custom function knows it. */
export interface ShapedLinks extends Links {
  readonly shape?: Shape
}

/** The tool calls and results of a message of any known shape; both lists empty for unknown ones. */
export function toolLinks(message: object, custom?: ToolLinksOf): ToolLinks {
  const { calls, results } = readLinks(message, custom)
  return { calls: calls.map(({ id }) => id), results: results.map(({ id }) => id) }
}

export function readLinks(message: unknown, custom?: ToolLinksOf): ShapedLinks {
  if (!isFields(message)) return NO_LINKS
  const told: unknown = custom?.(message)
  const known = builtInLinks(message)
  if (!isFields(told)) return known
  // A call and its result in one message concern nobody else.
  const calls = strings(told['calls'])
  const results = strings(told['results'])
  const inside = new Set(results)
  const outside = new Set(calls)
  return {
    ...(known.shape === undefined ? {} : { shape: known.shape }),
    calls: located(
      calls.filter((id) => !inside.has(id)),
      known.calls,
    ),
    results: located(
      results.filter((id) => !outside.has(id)),
      known.results,
    ),
  }
}

function builtInLinks(message: { readonly [name: string]: unknown }): ShapedLinks {
  for (const shape of shapes) {
    const links = shape.read(message)
    if (links !== undefined) return { ...links, shape }
  }
  return NO_LINKS
}

function located(ids: readonly string[], known: readonly Link[]): Link[] {
  const byId = new Map(known.map((link) => [link.id, link]))
  return ids.map((id) => byId.get(id) ?? { id, part: UNKNOWN_PART })
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}
