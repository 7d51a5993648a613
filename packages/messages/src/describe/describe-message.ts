import { isFields, type Fields } from '../formats/fields.ts'

/** One part of a message, whatever the shape it came in. Text is as recorded: not yet safe to print. */
export type Block =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly id: string; readonly input: string }
  | { readonly kind: 'result'; readonly name: string; readonly id: string; readonly output: string }
  | { readonly kind: 'other'; readonly label: string; readonly text: string }

export interface DescribedMessage {
  readonly speaker: string
  readonly blocks: readonly Block[]
}

/** Reads OpenAI chat and Responses items, Anthropic blocks, Gemini and AI SDK parts; anything else is shown as JSON. */
export function describeMessage(message: Fields): DescribedMessage {
  const nested = message['message']
  const inner = isFields(nested) && message['role'] === undefined ? nested : message
  const role = text(inner['role']) ?? text(message['type']) ?? 'message'
  const blocks: Block[] = []
  if (inner['role'] === 'tool' && inner['tool_call_id'] !== undefined) {
    const output = shown(inner['content'])
    return { speaker: 'tool', blocks: [result(text(inner['name']) ?? '', text(inner['tool_call_id']) ?? '', output)] }
  }
  if (inner['role'] === undefined && inner['content'] === undefined) {
    const block = partBlock(inner)
    return { speaker: block.kind === 'result' ? 'tool' : block.kind === 'other' ? role : 'assistant', blocks: [block] }
  }
  blocks.push(...contentBlocks(inner['content'] ?? inner['parts']))
  const calls = inner['tool_calls']
  if (Array.isArray(calls)) for (const call of calls) if (isFields(call)) blocks.push(chatCall(call))
  const isAnswer = blocks.length > 0 && blocks.every(({ kind }) => kind === 'result')
  return { speaker: isAnswer ? 'tool' : role, blocks }
}

function contentBlocks(content: unknown): Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }]
  if (!Array.isArray(content)) return [{ kind: 'other', label: 'content', text: shown(content) }]
  return content.map((part: unknown) => (isFields(part) ? partBlock(part) : { kind: 'text', text: shown(part) }))
}

function partBlock(part: Fields): Block {
  const type = text(part['type']) ?? ''
  const id = text(part['call_id'] ?? part['callId'] ?? part['toolCallId'] ?? part['tool_use_id'] ?? part['id']) ?? ''
  const name = text(part['name'] ?? part['toolName']) ?? ''
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { kind: 'text', text: shown(part['text']) }
    case 'thinking':
    case 'reasoning':
      return { kind: 'reasoning', text: shown(part['thinking'] ?? part['text'] ?? part['summary'] ?? part['content']) }
    case 'tool_use':
    case 'tool-call':
    case 'function_call':
      return { kind: 'call', name, id, input: shown(part['input'] ?? part['args'] ?? part['arguments']) }
    case 'tool_result':
    case 'tool-result':
    case 'function_call_output':
    case 'function_call_result':
      return result(name, id, shown(part['content'] ?? part['output'] ?? part['result']))
  }
  if (isFields(part['functionCall'])) return geminiCall(part['functionCall'])
  if (isFields(part['functionResponse'])) {
    const response = part['functionResponse']
    return result(text(response['name']) ?? '', text(response['id']) ?? '', shown(response['response']))
  }
  if (type === '' && typeof part['text'] === 'string') return { kind: 'text', text: part['text'] }
  return { kind: 'other', label: type === '' ? 'part' : type, text: shown(part) }
}

function chatCall(call: Fields): Block {
  const called = isFields(call['function']) ? call['function'] : call
  return {
    kind: 'call',
    name: text(called['name']) ?? '',
    id: text(call['id']) ?? '',
    input: shown(called['arguments'] ?? called['input']),
  }
}

function geminiCall(call: Fields): Block {
  return { kind: 'call', name: text(call['name']) ?? '', id: text(call['id']) ?? '', input: shown(call['args']) }
}

function result(name: string, id: string, output: string): Block {
  return { kind: 'result', name, id, output }
}

/** Text as it is; lists of text parts as their text; anything else as JSON. */
function shown(value: unknown): string {
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

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
