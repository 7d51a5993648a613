import { isFields, type Fields } from '../formats/fields.ts'

export type Role = 'user' | 'assistant' | 'system' | 'tool'

const ROLES: { readonly [role: string]: Role } = {
  user: 'user',
  assistant: 'assistant',
  model: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
}

/** Fields beside the content that say something. */
const BESIDE = ['tool_calls', 'toolCalls', 'function_call', 'audio', 'refusal', 'images', 'toolInvocations']

const REASONING = new Set<unknown>(['thinking', 'redacted_thinking', 'reasoning', 'step-start'])

/** The object with role and content: of an entry that wraps a message, the message. */
export function innerOf(message: Fields): Fields {
  if (typeof message['role'] === 'string') return message
  const { message: nested, content } = message
  if (isFields(nested)) return nested
  return isFields(content) && Array.isArray(content['parts']) ? content : message
}

/** The same entry around another message. */
export function withInner(message: Fields, inner: Fields): Fields {
  const old = innerOf(message)
  if (old === message) return inner
  return old === message['message'] ? { ...message, message: inner } : { ...message, content: inner }
}

export function roleOf(message: object): Role | undefined {
  if (!isFields(message)) return undefined
  const { role } = innerOf(message)
  return typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined
}

export function withRole(message: object, role: string): object {
  return isFields(message) ? withInner(message, { ...innerOf(message), role }) : message
}

/** The list of parts and the field it is in. */
export function partsOf(inner: Fields): { readonly field: string; readonly parts: readonly unknown[] } | undefined {
  const { parts, content } = inner
  if (Array.isArray(parts)) return { field: 'parts', parts }
  return Array.isArray(content) ? { field: 'content', parts: content } : undefined
}

/** Nothing is said in it: blank text, reasoning that led to nothing. Undefined roles are nobody's words. */
export function isEmpty(message: object): boolean {
  const role = roleOf(message)
  if (!isFields(message) || (role !== 'user' && role !== 'assistant')) return false
  const inner = innerOf(message)
  if (BESIDE.some((field) => hasSomething(inner[field]))) return false
  const list = partsOf(inner)
  if (list !== undefined) return list.parts.every((part) => isBlankPart(part) || isReasoningPart(part))
  const { content } = inner
  return content === undefined || content === null || (typeof content === 'string' && content.trim() === '')
}

export function isBlankPart(part: unknown): boolean {
  if (!isFields(part)) return typeof part === 'string' && part.trim() === ''
  const { type, text, ...rest } = part
  if (typeof text !== 'string' || text.trim() !== '') return false
  return (
    isTextType(type) &&
    Object.keys(rest).every((name) => name === 'cache_control' || name === 'citations' || name === 'annotations')
  )
}

export function isReasoningPart(part: unknown): boolean {
  if (!isFields(part)) return false
  return REASONING.has(part['type']) || part['thought'] === true || 'reasoningContent' in part
}

/** One message that says what both said; undefined if they hold it differently. */
export function mergeMessages(first: object, second: object): object | undefined {
  if (!isFields(first) || !isFields(second)) return undefined
  const [one, other] = [innerOf(first), innerOf(second)]
  if ((one === first) !== (other === second)) return undefined
  const content = mergeContents(one, other)
  if (content === undefined) return undefined
  const merged: { [name: string]: unknown } = { ...other, ...one, ...content }
  for (const field of ['tool_calls', 'toolCalls', 'images']) {
    const lists = [one[field], other[field]].filter((list) => Array.isArray(list))
    if (lists.length === 2) merged[field] = lists.flat()
  }
  return withInner(first, merged)
}

function mergeContents(one: Fields, other: Fields): Fields | undefined {
  const [left, right] = [partsOf(one), partsOf(other)]
  if (left?.field === 'parts' || right?.field === 'parts') {
    return left?.field === right?.field ? { parts: [...(left?.parts ?? []), ...(right?.parts ?? [])] } : undefined
  }
  if (left === undefined && right === undefined) {
    const texts = [one['content'], other['content']].filter((text) => typeof text === 'string' && text !== '')
    return { content: texts.length === 0 ? (one['content'] ?? other['content'] ?? null) : texts.join('\n\n') }
  }
  const sample = left?.parts ?? right?.parts ?? []
  return { content: [...asParts(one, sample), ...asParts(other, sample)] }
}

/** Bedrock's parts have no type. */
function asParts(inner: Fields, sample: readonly unknown[]): readonly unknown[] {
  const list = partsOf(inner)
  if (list !== undefined) return list.parts
  const { content: text } = inner
  if (typeof text !== 'string' || text === '') return []
  return [isUntyped(sample) ? { text } : { type: 'text', text }]
}

/** A text of somebody, held as the message beside it holds its own. */
export function say(beside: object, role: 'user' | 'assistant', text: string): object {
  const inner = isFields(beside) ? innerOf(beside) : {}
  const list = partsOf(inner)
  if (list === undefined) return { role, content: text }
  if (list.field === 'content') return { role, content: isUntyped(list.parts) ? [{ text }] : text }
  if (!isUntyped(list.parts)) return { id: `turnlog-${role}`, role, parts: [{ type: 'text', text }] }
  const said = { role: role === 'assistant' ? 'model' : role, parts: [{ text }] }
  return inner === beside ? said : { content: said }
}

function isUntyped(parts: readonly unknown[]): boolean {
  return parts.length > 0 && parts.every((part) => isFields(part) && part['type'] === undefined)
}

function isTextType(type: unknown): boolean {
  return type === undefined || (typeof type === 'string' && /^(\w+_)?text$/.test(type))
}

function hasSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
}
