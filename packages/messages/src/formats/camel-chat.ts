import { callBlock, resultBlock, type Description } from './description.ts'
import { isFields, type Fields } from './fields.ts'
import { INTERRUPTED } from './interrupted.ts'
import type { Redaction } from './redaction.ts'
import type { Link, Links, Shape } from './shape.ts'

/** Chat messages as the SDKs of Mistral, Cohere (v2) and TanStack AI spell them: `toolCalls` and `toolCallId`. */
export const camelChat: Shape = {
  name: 'camel-chat',

  read(message: Fields): Links | undefined {
    const { role, toolCallId } = message
    if (role === 'tool') {
      return typeof toolCallId === 'string' ? { calls: [], results: [{ id: toolCallId, part: 0 }] } : undefined
    }
    if (role !== 'assistant') return undefined
    const calls = toolCalls(message).flatMap((call, part): Link[] => {
      const id = isFields(call) ? call['id'] : undefined
      return typeof id === 'string' ? [{ id, part }] : []
    })
    return calls.length === 0 ? undefined : { calls, results: [] }
  },

  // A result is a whole message, and calls are always answered: nothing is ever replaced in part.
  rewrite: () => undefined,

  pick: (message) => message,

  answer: (_, { id }) => ({ reply: { role: 'tool', toolCallId: id, content: INTERRUPTED } }),
}

export const camelChatRedaction: Redaction = { ids: ['toolCallId'], namedCalls: ['toolCalls'] }

export const camelChatDescription: Description = {
  result({ role, toolCallId, name, content }) {
    return role === 'tool' && toolCallId !== undefined ? resultBlock(name, toolCallId, content) : undefined
  },

  calls: (message) =>
    toolCalls(message)
      .filter(isFields)
      .map((call) => {
        const called = isFields(call['function']) ? call['function'] : call
        return callBlock(called['name'], call['id'], called['arguments'])
      }),
}

function toolCalls({ toolCalls: calls }: Fields): readonly unknown[] {
  return Array.isArray(calls) ? calls : []
}
