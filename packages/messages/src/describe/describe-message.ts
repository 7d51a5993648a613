import { shown, text, type Block } from '../formats/description.ts'
import { isFields, type Fields } from '../formats/fields.ts'
import { descriptions } from '../formats/shapes.ts'

export type { Block } from '../formats/description.ts'

export interface DescribedMessage {
  readonly speaker: string
  readonly blocks: readonly Block[]
}

/** Reads the messages and items of every known format; anything else is shown as JSON. */
export function describeMessage(message: Fields): DescribedMessage {
  const nested = message['message']
  const unwrapped = descriptions
    .map((description) => description.unwrap?.(message))
    .find((inner) => inner !== undefined)
  const inner = unwrapped ?? (isFields(nested) && message['role'] === undefined ? nested : message)
  const role = text(inner['role']) ?? text(message['type']) ?? 'message'
  const result = firstOf((description) => description.result?.(inner))
  if (result !== undefined) return { speaker: 'tool', blocks: [result] }
  if (inner['role'] === undefined && inner['content'] === undefined) {
    const block = describePart(inner)
    return { speaker: block.kind === 'result' ? 'tool' : block.kind === 'other' ? role : 'assistant', blocks: [block] }
  }
  const blocks = describeContent(inner['content'] ?? inner['parts'])
  for (const description of descriptions) blocks.push(...(description.calls?.(inner) ?? []))
  const isAnswer = blocks.length > 0 && blocks.every(({ kind }) => kind === 'result')
  return { speaker: isAnswer ? 'tool' : role, blocks }
}

function describeContent(content: unknown): Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (!Array.isArray(content)) return [{ kind: 'other', label: 'content', text: shown(content) }]
  return content.map((part: unknown) => (isFields(part) ? describePart(part) : { kind: 'text', text: shown(part) }))
}

function describePart(part: Fields): Block {
  const type = text(part['type']) ?? ''
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { kind: 'text', text: shown(part['text']) }
    case 'thinking':
    case 'reasoning':
      return { kind: 'reasoning', text: shown(part['thinking'] ?? part['text'] ?? part['summary'] ?? part['content']) }
  }
  const block = firstOf((description) => description.part?.(part))
  if (block !== undefined) return block
  if (type === '' && typeof part['text'] === 'string') return { kind: 'text', text: part['text'] }
  return { kind: 'other', label: type === '' ? 'part' : type, text: shown(part) }
}

function firstOf(describe: (description: (typeof descriptions)[number]) => Block | undefined): Block | undefined {
  for (const description of descriptions) {
    const block = describe(description)
    if (block !== undefined) return block
  }
  return undefined
}
