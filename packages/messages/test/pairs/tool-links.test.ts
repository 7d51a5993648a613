import { describe, expect, it } from 'vitest'
import { toolLinks } from '../../src/pairs/tool-links.ts'

const call = (id: string) => ({ calls: [id], results: [] })
const result = (id: string) => ({ calls: [], results: [id] })
const none = { calls: [], results: [] }

describe('toolLinks reads', () => {
  it.each<[string, object, object]>([
    ['an OpenAI chat call', { role: 'assistant', tool_calls: [{ id: 'a' }] }, call('a')],
    ['an OpenAI chat result', { role: 'tool', tool_call_id: 'a', content: '' }, result('a')],
    ['a legacy function call by name', { role: 'assistant', function_call: { name: 'look' } }, call('look')],
    ['a legacy function result by name', { role: 'function', name: 'look', content: '' }, result('look')],
    ['a function_call item', { type: 'function_call', call_id: 'a' }, call('a')],
    ['a function_call_output item', { type: 'function_call_output', call_id: 'a' }, result('a')],
    ['a custom_tool_call item', { type: 'custom_tool_call', call_id: 'a' }, call('a')],
    ['a custom_tool_call_output item', { type: 'custom_tool_call_output', call_id: 'a' }, result('a')],
    ['a computer_call item', { type: 'computer_call', id: 'cu', call_id: 'a' }, call('a')],
    ['a computer_call_output item', { type: 'computer_call_output', call_id: 'a' }, result('a')],
    ['a local_shell_call item', { type: 'local_shell_call', id: 'lsh', call_id: 'a' }, call('a')],
    ['a local_shell_call item with only an id', { type: 'local_shell_call', id: 'a' }, call('a')],
    ['a local_shell_call_output item', { type: 'local_shell_call_output', id: 'a' }, result('a')],
    ['a shell_call item', { type: 'shell_call', call_id: 'a' }, call('a')],
    ['a shell_call_output item', { type: 'shell_call_output', call_id: 'a' }, result('a')],
    ['an apply_patch_call item', { type: 'apply_patch_call', call_id: 'a' }, call('a')],
    ['an apply_patch_call_output item', { type: 'apply_patch_call_output', call_id: 'a' }, result('a')],
    ['a tool_search_call item', { type: 'tool_search_call', call_id: 'a' }, call('a')],
    ['a tool_search_output item', { type: 'tool_search_output', call_id: 'a' }, result('a')],
    ['a tool_search_call_output item', { type: 'tool_search_call_output', call_id: 'a' }, result('a')],
    ['an mcp_approval_request item', { type: 'mcp_approval_request', id: 'a' }, call('a')],
    ['an mcp_approval_response item', { type: 'mcp_approval_response', approval_request_id: 'a' }, result('a')],
    ['an Agents function_call', { type: 'function_call', callId: 'a' }, call('a')],
    ['an Agents function_call_result', { type: 'function_call_result', callId: 'a' }, result('a')],
    ['an Agents computer_call', { type: 'computer_call', callId: 'a' }, call('a')],
    ['an Agents computer_call_result', { type: 'computer_call_result', callId: 'a' }, result('a')],
    ['an Agents shell_call', { type: 'shell_call', callId: 'a' }, call('a')],
    ['an Agents shell_call_output', { type: 'shell_call_output', callId: 'a' }, result('a')],
    ['an Agents apply_patch_call', { type: 'apply_patch_call', callId: 'a' }, call('a')],
    ['an Agents apply_patch_call_output', { type: 'apply_patch_call_output', callId: 'a' }, result('a')],
    ['an Agents tool_search_call', { type: 'tool_search_call', callId: 'a' }, call('a')],
    ['an Agents tool_search_output', { type: 'tool_search_output', callId: 'a' }, result('a')],
    ['an Agents program', { type: 'program', callId: 'a' }, call('a')],
    ['an Agents program_output', { type: 'program_output', callId: 'a' }, result('a')],
    [
      'an Agents approval request',
      { type: 'hosted_tool_call', name: 'mcp_approval_request', providerData: { id: 'a' } },
      call('a'),
    ],
    [
      'an Agents approval response',
      { type: 'hosted_tool_call', name: 'mcp_approval_response', providerData: { approval_request_id: 'a' } },
      result('a'),
    ],
    ['an Anthropic tool_use', { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] }, call('a')],
    ['an Anthropic tool_result', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }, result('a')],
    [
      'a Claude Code entry',
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] } },
      call('a'),
    ],
    ['a Gemini call by id', { role: 'model', parts: [{ functionCall: { id: 'a', name: 'look' } }] }, call('a')],
    ['a Gemini call by name', { role: 'model', parts: [{ functionCall: { name: 'look' } }] }, call('look')],
    ['a Gemini response', { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'look' } }] }, result('a')],
    ['a Gemini event', { author: 'x', content: { parts: [{ functionCall: { id: 'a', name: 'look' } }] } }, call('a')],
    ['an AI SDK tool-call', { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a' }] }, call('a')],
    ['an AI SDK tool-result', { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] }, result('a')],
    [
      'an AI SDK approval request',
      { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }] },
      call('a'),
    ],
    [
      'an AI SDK approval response',
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
      result('a'),
    ],
    [
      'an unfinished UI part',
      { role: 'assistant', parts: [{ type: 'tool-look', toolCallId: 'a', state: 'input-available' }] },
      call('a'),
    ],
    [
      'an unfinished dynamic UI part',
      { role: 'assistant', parts: [{ type: 'dynamic-tool', toolCallId: 'a', state: 'approval-requested' }] },
      call('a'),
    ],
    [
      'a finished UI part as nothing',
      { role: 'assistant', parts: [{ type: 'tool-look', toolCallId: 'a', state: 'output-available' }] },
      none,
    ],
    [
      'a server tool with its result in the same message as nothing',
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'a', name: 'web_search' },
          { type: 'web_search_tool_result', tool_use_id: 'a', content: [] },
        ],
      },
      none,
    ],
    [
      'parallel calls in order',
      { role: 'assistant', tool_calls: [{ id: 'b' }, { id: 'a' }] },
      {
        calls: ['b', 'a'],
        results: [],
      },
    ],
    ['an unknown shape as nothing', { type: 'weather', id: 'a' }, none],
  ])('%s', (_, message, links) => {
    expect(toolLinks(message)).toEqual(links)
  })

  it.each<[string, unknown]>([
    ['a missing id', { role: 'assistant', tool_calls: [{}] }],
    ['ids that are no strings', { role: 'assistant', tool_calls: [{ id: 7 }, { id: null }, { id: {} }] }],
    ['null calls', { role: 'assistant', tool_calls: [null, 1, []], function_call: null }],
    ['null parts', { role: 'user', content: [null, 1, 'x', []], parts: [null] }],
    ['null functionCall', { role: 'model', parts: [{ functionCall: null }, { functionResponse: 3 }] }],
    ['an array as message', [{ role: 'tool', tool_call_id: 'a' }]],
    ['a type that is a name of Object.prototype', { type: 'constructor', call_id: 'a' }],
    ['null data', { type: 'hosted_tool_call', name: 'mcp_approval_request', providerData: null }],
    ['an empty object', {}],
  ])('nothing, without throwing, from %s', (_, message) => {
    expect(toolLinks(message as object)).toEqual(none)
  })

  it('what the caller says first, keeping only strings and what is not settled inside the message', () => {
    const say = (links: unknown) => toolLinks({ role: 'x' }, () => links as never)
    expect(say({ calls: ['a', 1, null], results: ['b'] })).toEqual({ calls: ['a'], results: ['b'] })
    expect(say({ calls: ['a'], results: ['a'] })).toEqual(none)
    for (const nonsense of [null, 3, 'x', {}, { calls: 'a' }]) expect(say(nonsense)).toEqual(none)
  })
})
