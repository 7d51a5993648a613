import { isFields, type Fields } from './fields.ts'

/** One part of a message, whatever its format. Text is as recorded: not yet safe to print. */
export type Block =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly id: string; readonly input: string }
  | { readonly kind: 'result'; readonly name: string; readonly id: string; readonly output: string }
  | { readonly kind: 'other'; readonly label: string; readonly text: string }

/** How a format shows its calls and results; what all formats share is known without it. */
export interface Description {
  /** The message with role and content that an entry wraps. */
  unwrap?(entry: Fields): Fields | undefined
  /** A whole message that is one result. */
  result?(message: Fields): Block | undefined
  /** An item, or a part of a message. */
  part?(part: Fields): Block | undefined
  /** Calls that stand beside the content of a message. */
  calls?(message: Fields): readonly Block[]
}

export function callBlock(name: unknown, id: unknown, input: unknown): Block {
  return { kind: 'call', name: text(name) ?? '', id: text(id) ?? '', input: shown(input) }
}

export function resultBlock(name: unknown, id: unknown, output: unknown): Block {
  return { kind: 'result', name: text(name) ?? '', id: text(id) ?? '', output: shown(output) }
}

/** Text as it is; lists of text parts as their text; anything else as JSON. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => isFields(part) && typeof part['text'] === 'string')
  ) {
    return value.map((part) => (part as { readonly text: string }).text).join('\n')
  }
  return JSON.stringify(value)
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
