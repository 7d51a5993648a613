import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import type { Answer, Link, Links, Shape } from './shape.ts'
import { callBlock, resultBlock, type Block, type Description } from './description.ts'
import { resultByName } from './ollama-chat.ts'
import type { Redaction } from './redaction.ts'

/** Chat completions: `tool_calls` answered by `role: 'tool'`; the older `function_call` by `role: 'function'` and name. */
export const openaiChat: Shape = {
  name: 'openai-chat',

  read(message: Fields): Links | undefined {
    if (message['role'] === 'tool') return oneResult(message['tool_call_id'])
    if (message['role'] === 'function') return oneResult(message['name'])
    if (message['role'] !== 'assistant') return undefined
    const calls: Link[] = []
    for (const [part, call] of toolCalls(message).entries()) {
      if (!isFields(call) || typeof call['id'] !== 'string') continue
      const name = isFields(call['function']) ? call['function']['name'] : undefined
      // Ollama may give its calls ids; its results have only the name.
      calls.push({ id: call['id'], ...(typeof name === 'string' ? { alias: resultByName(name) } : {}), part })
    }
    const legacy = message['function_call']
    if (isFields(legacy) && typeof legacy['name'] === 'string') {
      calls.push({ id: legacy['name'], part: toolCalls(message).length })
    }
    return calls.length === 0 ? undefined : { calls, results: [] }
  },

  // A result is a whole message, and calls are always answered: nothing is ever replaced in part.
  rewrite: () => undefined,

  pick: (message) => message,

  answer(message: Fields, call: Link): Answer {
    return call.part < toolCalls(message).length
      ? { reply: { role: 'tool', tool_call_id: call.id, content: INTERRUPTED } }
      : { reply: { role: 'function', name: call.id, content: INTERRUPTED } }
  },
}

export const openaiChatRedaction: Redaction = {
  ids: ['tool_call_id'],
  calls: ['function_call'],
  namedCalls: ['tool_calls'],
}

export const openaiChatDescription: Description = {
  result(message) {
    if (message['role'] !== 'tool' || message['tool_call_id'] === undefined) return undefined
    return resultBlock(message['name'], message['tool_call_id'], message['content'])
  },

  calls: (message) => toolCalls(message).filter(isFields).map(describeCall),
}

function describeCall(call: Fields): Block {
  const called = isFields(call['function']) ? call['function'] : call
  return callBlock(called['name'], call['id'], called['arguments'] ?? called['input'] ?? called['args'])
}

function oneResult(id: unknown): Links | undefined {
  return typeof id === 'string' ? { calls: [], results: [{ id, part: 0 }] } : undefined
}

function toolCalls(message: Fields): readonly unknown[] {
  return Array.isArray(message['tool_calls']) ? message['tool_calls'] : []
}
