import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import type { Link, Links, Shape } from './shape.ts'
import { resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/**
 * LangChain messages, as `mapChatMessagesToStoredMessages` stores them (`type` and `data`) and as `toJSON` of a live one
 * gives them (`id` ends with the name of its class, `kwargs`).
 */
export const langchain: Shape = {
  name: 'langchain',

  read(message: Fields): Links | undefined {
    const { kind, fields } = contentOf(message) ?? {}
    if (fields === undefined) return undefined
    if (kind === 'tool') {
      const id = fields['tool_call_id']
      return typeof id === 'string' ? { calls: [], results: [{ id, part: 0 }] } : undefined
    }
    const calls = kind === 'ai' ? toolCalls(fields).flatMap(linkOf) : []
    return calls.length === 0 ? undefined : { calls, results: [] }
  },

  // A result is a whole message, and calls are always answered: nothing is ever replaced in part.
  rewrite: () => undefined,

  pick: (message) => message,

  answer(message: Fields, { id, part }: Link) {
    const call = toolCalls(contentOf(message)?.fields ?? {})[part]
    const name = isFields(call) && typeof call['name'] === 'string' ? call['name'] : ''
    const fields = { content: INTERRUPTED, tool_call_id: id, name, status: 'error' }
    if (isFields(message['data'])) return { reply: { type: 'tool', data: fields } }
    const { lc, type, id: path } = message
    const names = Array.isArray(path) ? path.slice(0, -1) : []
    return { reply: { lc, type, id: [...(names as readonly unknown[]), 'ToolMessage'], kwargs: fields } }
  },

  speaker(message: Fields) {
    const kind = contentOf(message)?.kind
    return kind === 'ai' ? 'assistant' : kind === 'human' ? 'user' : undefined
  },
}

export const langchainRedaction: Redaction = {
  callsOfTools: ['data'],
  holdsMessage: (name, value) => (name === 'data' || name === 'kwargs') && isFields(value) && 'content' in value,
  isStructure: (name, value) =>
    name === 'id' && Array.isArray(value) && value[0] === 'langchain_core' && value[1] === 'messages',
}

export const langchainDescription: Description = {
  unwrap(message) {
    const { kind, fields } = contentOf(message) ?? {}
    return kind === undefined || fields === undefined ? undefined : { ...fields, role: ROLES[kind] ?? kind }
  },

  result({ role, tool_call_id, name, content }) {
    return role === 'tool' && tool_call_id !== undefined ? resultBlock(name, tool_call_id, content) : undefined
  },
}

const ROLES: { readonly [kind: string]: string } = { ai: 'assistant', human: 'user' }

const CLASSES: { readonly [name: string]: string } = {
  AIMessage: 'ai',
  AIMessageChunk: 'ai',
  HumanMessage: 'human',
  HumanMessageChunk: 'human',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
}

function contentOf(message: Fields): { readonly kind: string; readonly fields: Fields } | undefined {
  const { type, data, kwargs, id } = message
  if (isFields(data) && typeof type === 'string' && 'content' in data) return { kind: type, fields: data }
  const name: unknown = Array.isArray(id) ? id.at(-1) : undefined
  if (!isFields(kwargs) || typeof name !== 'string' || !Object.hasOwn(CLASSES, name)) return undefined
  return { kind: CLASSES[name] ?? '', fields: kwargs }
}

function toolCalls({ tool_calls: calls }: Fields): readonly unknown[] {
  return Array.isArray(calls) ? calls : []
}

function linkOf(call: unknown, part: number): Link[] {
  const id = isFields(call) ? call['id'] : undefined
  return typeof id === 'string' ? [{ id, part }] : []
}
