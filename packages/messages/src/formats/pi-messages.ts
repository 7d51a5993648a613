import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import type { Link, Links, Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** pi: `toolCall` blocks in assistant messages, answered by messages of the role `toolResult`. */
export const piMessages: Shape = {
  name: 'pi-messages',

  read(message: Fields): Links | undefined {
    const { role, toolCallId, content } = innerOf(message)
    if (role === 'toolResult') {
      return typeof toolCallId === 'string' ? { calls: [], results: [{ id: toolCallId, part: 0 }] } : undefined
    }
    const blocks: readonly unknown[] = role === 'assistant' && Array.isArray(content) ? content : []
    const calls = blocks.flatMap((block, part): Link[] => {
      const { type, id } = isFields(block) ? block : {}
      return type === 'toolCall' && typeof id === 'string' ? [{ id, part }] : []
    })
    return calls.length === 0 ? undefined : { calls, results: [] }
  },

  // A result is a whole message, and calls are always answered: nothing is ever replaced in part.
  rewrite: () => undefined,

  pick: (message) => message,

  answer(message: Fields, { id, part }: Link) {
    const inner = innerOf(message)
    const block = Array.isArray(inner['content']) ? (inner['content'] as readonly unknown[])[part] : undefined
    const reply = {
      role: 'toolResult',
      toolCallId: id,
      toolName: isFields(block) && typeof block['name'] === 'string' ? block['name'] : '',
      content: [{ type: 'text', text: INTERRUPTED }],
      isError: true,
      // Nothing that varies: the time of the call.
      ...(inner['timestamp'] === undefined ? {} : { timestamp: inner['timestamp'] }),
    }
    return { reply: inner === message ? reply : { type: 'message', message: reply } }
  },
}

export const piMessagesRedaction: Redaction = {
  ids: ['toolCallId'],
  toolPart: /^toolCall$/,
  toolRoles: ['toolResult'],
}

export const piMessagesDescription: Description = {
  result({ role, toolCallId, toolName, content }) {
    return role === 'toolResult' ? resultBlock(toolName, toolCallId, content) : undefined
  },

  part({ type, id, name, arguments: args }) {
    return type === 'toolCall' ? callBlock(name, id, args) : undefined
  },
}

function innerOf(message: Fields): Fields {
  return message['type'] === 'message' && isFields(message['message']) ? message['message'] : message
}
