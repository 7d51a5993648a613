/** How the programs of one API write what happens. Texts are given, so that a test finds each of them again. */
export interface Writer {
  user(text: string): object
  say(text: string): object
  system?(text: string): object
  /** What a stream that died leaves. */
  empty?(): object
  calls(ids: readonly string[]): object[]
  results(results: readonly { readonly id: string; readonly text: string }[]): object[]
}

const chat: Writer = {
  user: (content) => ({ role: 'user', content }),
  say: (content) => ({ role: 'assistant', content }),
  system: (content) => ({ role: 'system', content }),
  empty: () => ({ role: 'assistant', content: '' }),
  calls(ids) {
    const tool_calls = ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } }))
    return [{ role: 'assistant', content: null, tool_calls }]
  },
  results: (results) => results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
}

const responses: Writer = {
  user: (content) => ({ role: 'user', content }),
  say: (text) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
  system: (content) => ({ role: 'developer', content }),
  empty: () => ({ type: 'reasoning', id: 'rs', summary: [] }),
  calls: (ids) => [
    { type: 'reasoning', id: `rs_${ids.join()}`, summary: [] },
    ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' })),
  ],
  results: (results) => results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
}

const anthropic: Writer = {
  user: (content) => ({ role: 'user', content }),
  say: (text) => ({ role: 'assistant', content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] }),
  system: (content) => ({ role: 'system', content }),
  empty: () => ({ role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }] }),
  calls: (ids) => [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        ...ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: {} })),
      ],
    },
  ],
  results: (results) => [
    { role: 'user', content: results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })) },
  ],
}

const gemini: Writer = {
  user: (text) => ({ role: 'user', parts: [{ text }] }),
  say: (text) => ({ role: 'model', parts: [{ text }] }),
  empty: () => ({ role: 'model', parts: [{ text: '' }] }),
  calls: (ids) => [
    {
      role: 'model',
      parts: ids.map((id) => ({ functionCall: { id, name: 'look', args: {} }, thoughtSignature: 's' })),
    },
  ],
  // One content for each, as programs do that run calls at the same time.
  results: (results) =>
    results.map(({ id, text }) => ({
      role: 'user',
      parts: [{ functionResponse: { id, name: 'look', response: { output: text } } }],
    })),
}

const bedrock: Writer = {
  user: (text) => ({ role: 'user', content: [{ text }] }),
  say: (text) => ({ role: 'assistant', content: [{ text }] }),
  empty: () => ({ role: 'assistant', content: [{ text: '' }] }),
  calls: (ids) => [
    { role: 'assistant', content: ids.map((toolUseId) => ({ toolUse: { toolUseId, name: 'look', input: {} } })) },
  ],
  results: (results) =>
    results.map(({ id, text }) => ({
      role: 'user',
      content: [{ toolResult: { toolUseId: id, content: [{ text }], status: 'success' } }],
    })),
}

const mistral: Writer = {
  ...chat,
  calls(ids) {
    const toolCalls = ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } }))
    return [{ role: 'assistant', content: '', toolCalls }]
  },
  results: (results) => results.map(({ id, text }) => ({ role: 'tool', toolCallId: id, name: 'look', content: text })),
}

const aiSdkModel: Writer = {
  ...chat,
  empty: () => ({ role: 'assistant', content: [] }),
  calls: (ids) => [
    {
      role: 'assistant',
      content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} })),
    },
  ],
  results: (results) =>
    results.map(({ id, text }) => ({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'look', output: { type: 'text', value: text } }],
    })),
}

let ids = 0
const part = (text: string): object => ({ type: 'text', text })

const aiSdkUi: Writer = {
  user: (text) => ({ id: `m${ids++}`, role: 'user', parts: [part(text)] }),
  say: (text) => ({ id: `m${ids++}`, role: 'assistant', parts: [{ type: 'step-start' }, part(text)] }),
  empty: () => ({ id: `m${ids++}`, role: 'assistant', parts: [] }),
  calls: (called) => [
    {
      id: `m${ids++}`,
      role: 'assistant',
      parts: called.map((toolCallId, at) => ({
        type: 'tool-look',
        toolCallId,
        input: {},
        ...(at % 2 === 0
          ? { state: 'input-available' }
          : { state: 'approval-requested', approval: { id: `approval-${toolCallId}` } }),
      })),
    },
  ],
  // The part of the call changes instead.
  results: () => [],
}

export const writers = {
  'openai-chat': chat,
  'openai-responses': responses,
  anthropic,
  gemini,
  bedrock,
  mistral,
  cohere: mistral,
  alternating: chat,
  'ai-sdk-ui': aiSdkUi,
  'ai-sdk-model': aiSdkModel,
} as const
