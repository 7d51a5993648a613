import type { Format, Step } from './conversation.ts'

/** Messages that carry no link, for formats with roles; formats differ in how they hold a text. */
function plain(step: Step, roles: { user: string; assistant: string }, holding: (text: string) => object): object[] {
  if (step.kind === 'user') return [{ role: roles.user, ...holding('hello') }]
  if (step.kind === 'say') return [{ role: roles.assistant, ...holding('well') }]
  return [{ role: 'system', ...holding('be brief') }]
}

const chatRoles = { user: 'user', assistant: 'assistant' }
const content = (text: string): object => ({ content: text })

export const chat: Format = {
  name: 'OpenAI chat',
  sayEndsTurn: true,
  write(step) {
    if (step.kind === 'calls') {
      const tool_calls = step.ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } }))
      return [{ role: 'assistant', content: null, tool_calls }]
    }
    if (step.kind === 'results') return step.ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'seen' }))
    return plain(step, chatRoles, content)
  },
}

const responses: Format = {
  name: 'OpenAI Responses',
  sayEndsTurn: false,
  write(step) {
    if (step.kind === 'calls') {
      return step.ids.map((call_id) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' }))
    }
    if (step.kind === 'results') {
      return step.ids.map((call_id) => ({ type: 'function_call_output', call_id, output: 'seen' }))
    }
    return plain(step, chatRoles, (text) => ({ type: 'message', content: [{ type: 'output_text', text }] }))
  },
}

const agents: Format = {
  name: 'OpenAI Agents SDK',
  sayEndsTurn: false,
  write(step) {
    if (step.kind === 'calls') {
      return step.ids.map((callId) => ({ type: 'function_call', callId, name: 'look', arguments: '{}' }))
    }
    if (step.kind === 'results') {
      return step.ids.map((callId) => ({
        type: 'function_call_result',
        name: 'look',
        callId,
        status: 'completed',
        output: { type: 'text', text: 'seen' },
      }))
    }
    return plain(step, chatRoles, (text) => ({ type: 'message', content: [{ type: 'output_text', text }] }))
  },
}

export const anthropic: Format = {
  name: 'Anthropic blocks',
  sayEndsTurn: true,
  write(step) {
    if (step.kind === 'calls') {
      const uses = step.ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} }))
      return [{ role: 'assistant', content: [{ type: 'text', text: 'let me see' }, ...uses] }]
    }
    if (step.kind === 'results') {
      const blocks = step.ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: 'seen' }))
      return [{ role: 'user', content: blocks }]
    }
    return plain(step, chatRoles, content)
  },
}

const claudeCode: Format = {
  name: 'Claude Code entries',
  sayEndsTurn: true,
  write: (step) =>
    anthropic.write(step).map((message) => ({ type: (message as { role: string }).role, uuid: 'u', message })),
}

const gemini: Format = {
  name: 'Gemini parts',
  sayEndsTurn: true,
  write(step) {
    if (step.kind === 'calls') {
      return [{ role: 'model', parts: step.ids.map((id) => ({ functionCall: { id, name: 'look', args: {} } })) }]
    }
    if (step.kind === 'results') {
      const parts = step.ids.map((id) => ({ functionResponse: { id, name: 'look', response: { output: 'seen' } } }))
      return [{ role: 'user', parts }]
    }
    return plain(step, { user: 'user', assistant: 'model' }, (text) => ({ parts: [{ text }] }))
  },
}

const geminiByName: Format = {
  name: 'Gemini parts without ids',
  sayEndsTurn: true,
  write(step) {
    if (step.kind === 'calls') {
      return [{ role: 'model', parts: step.ids.map((name) => ({ functionCall: { name, args: {} } })) }]
    }
    if (step.kind === 'results') {
      return [{ role: 'user', parts: step.ids.map((name) => ({ functionResponse: { name, response: {} } })) }]
    }
    return plain(step, { user: 'user', assistant: 'model' }, (text) => ({ parts: [{ text }] }))
  },
}

const geminiEvents: Format = {
  name: 'Gemini parts in events',
  sayEndsTurn: true,
  write: (step) => gemini.write(step).map((message) => ({ author: 'scout', content: message })),
}

const aiSdk: Format = {
  name: 'AI SDK model messages',
  sayEndsTurn: true,
  write(step) {
    if (step.kind === 'calls') {
      const parts = step.ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} }))
      return [{ role: 'assistant', content: parts }]
    }
    if (step.kind === 'results') {
      const output = { type: 'text', value: 'seen' }
      const parts = step.ids.map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'look', output }))
      return [{ role: 'tool', content: parts }]
    }
    return plain(step, chatRoles, content)
  },
}

/** Formats in which calls and results are apart; UI messages, where they are one part, have tests of their own. */
export const formats: readonly Format[] = [
  chat,
  responses,
  agents,
  anthropic,
  claudeCode,
  gemini,
  geminiByName,
  geminiEvents,
  aiSdk,
]
