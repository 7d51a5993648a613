import type { Json } from '@turnlog/core/backend'

type Frame = { readonly values: readonly Json[]; readonly keys: readonly string[] | undefined; next: number }

/**
 * JSON text that gives back exactly this value when parsed. `JSON.stringify` would do but for two things: it writes
 * `-0` as `0`, and it recurses, so that a deeply nested value overflows the stack (`JSON.parse` does not).
 */
export function jsonText(value: Json): string {
  const parts: string[] = []
  const stack: Frame[] = []
  let current: Json | undefined = value
  for (;;) {
    if (typeof current === 'object' && current !== null) {
      const keys = Array.isArray(current) ? undefined : Object.keys(current)
      parts.push(keys === undefined ? '[' : '{')
      stack.push({ values: Object.values(current), keys, next: 0 })
    } else {
      parts.push(Object.is(current, -0) ? '-0' : JSON.stringify(current))
    }
    let frame = stack.at(-1)
    while (frame !== undefined && frame.next === frame.values.length) {
      parts.push(frame.keys === undefined ? ']' : '}')
      stack.pop()
      frame = stack.at(-1)
    }
    if (frame === undefined) return parts.join('')
    if (frame.next > 0) parts.push(',')
    if (frame.keys !== undefined) parts.push(JSON.stringify(frame.keys[frame.next]), ':')
    current = frame.values[frame.next]
    frame.next++
  }
}
