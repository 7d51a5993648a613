import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import type { Link, Links, Shape } from './shape.ts'
import { resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** Ollama: calls that mostly have no id, answered by `role: 'tool'` with `tool_name`. So they pair by name. */
export const ollamaChat: Shape = {
  name: 'ollama-chat',

  read(message: Fields): Links | undefined {
    const { role, tool_name } = message
    if (role === 'tool') {
      if (typeof tool_name !== 'string') return undefined
      return { calls: [], results: [{ id: tool_name, alias: resultByName(tool_name), part: 0 }] }
    }
    const calls = role === 'assistant' && Array.isArray(message['tool_calls']) ? message['tool_calls'] : []
    const links = calls.flatMap((call: unknown, part): Link[] => {
      const name = nameOf(call)
      return name === undefined ? [] : [{ id: name, part }]
    })
    return links.length === 0 ? undefined : { calls: links, results: [] }
  },

  // A result is a whole message, and calls are always answered: nothing is ever replaced in part.
  rewrite: () => undefined,

  pick: (message) => message,

  answer: (_, { id }) => ({ reply: { role: 'tool', tool_name: id, content: INTERRUPTED } }),
}

export const ollamaChatRedaction: Redaction = { ids: ['tool_name'] }

export const ollamaChatDescription: Description = {
  result({ role, tool_name, content }) {
    return role === 'tool' && typeof tool_name === 'string' ? resultBlock(tool_name, '', content) : undefined
  },
}

/** Where a call that has an id meets a result that knows only the name of the tool. */
export function resultByName(name: string): string {
  return `result by name: ${name}`
}

function nameOf(call: unknown): string | undefined {
  const called = isFields(call) ? call['function'] : undefined
  const name = isFields(called) ? called['name'] : undefined
  return typeof name === 'string' ? name : undefined
}
