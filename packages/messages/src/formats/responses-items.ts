import { INTERRUPTED } from './interrupted.ts'
import type { Fields } from './fields.ts'
import { itemShape } from './item-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** Items of the OpenAI Responses API, which name the pair by `call_id`. */
export const responsesItems: Shape = /* @__PURE__ */ itemShape({
  name: 'responses-items',
  calls: new Map<string, (call: Fields, id: string) => object | undefined>([
    ['function_call', (_, call_id) => ({ type: 'function_call_output', call_id, output: INTERRUPTED })],
    ['custom_tool_call', (_, call_id) => ({ type: 'custom_tool_call_output', call_id, output: INTERRUPTED })],
    // The only output the API takes is a screenshot, and inventing what was on a screen would be a lie.
    ['computer_call', () => undefined],
    ['local_shell_call', localShellOutput],
    ['shell_call', (_, call_id) => ({ type: 'shell_call_output', call_id, output: [shellFailure()] })],
    [
      'apply_patch_call',
      (_, call_id) => ({ type: 'apply_patch_call_output', call_id, status: 'failed', output: INTERRUPTED }),
    ],
    [
      'tool_search_call',
      (_, call_id) => ({
        type: 'tool_search_output',
        call_id,
        execution: 'client',
        status: 'completed',
        tools: [],
      }),
    ],
    ['program', (_, call_id) => ({ type: 'program_output', call_id, output: INTERRUPTED, status: 'incomplete' })],
    [
      'mcp_approval_request',
      (_, approval_request_id) => ({
        type: 'mcp_approval_response',
        approval_request_id,
        approve: false,
        reason: INTERRUPTED,
      }),
    ],
  ]),
  results: new Set([
    'function_call_output',
    'custom_tool_call_output',
    'computer_call_output',
    'local_shell_call_output',
    'shell_call_output',
    'apply_patch_call_output',
    'tool_search_output',
    'tool_search_call_output',
    'program_output',
    'mcp_approval_response',
  ]),
  callId(item) {
    if (item['type'] === 'mcp_approval_request') return item['id']
    // Old local shell calls have only `id`.
    return item['type'] === 'local_shell_call' ? (item['call_id'] ?? item['id']) : item['call_id']
  },
  resultId(item) {
    if (item['type'] === 'mcp_approval_response') return item['approval_request_id']
    // The API documents `id` of this output as the id of the call; examples use `call_id`.
    return item['type'] === 'local_shell_call_output' ? (item['call_id'] ?? item['id']) : item['call_id']
  },
})

export const responsesItemsRedaction: Redaction = { ids: ['call_id', 'approval_request_id'], messageFields: ['status'] }

export const responsesItemsDescription: Description = {
  part({ type, name, call_id, callId, id, input, args, arguments: given, content, output, result }) {
    // The Agents SDK gives its calls the same type.
    if (type === 'function_call') return callBlock(name, call_id ?? callId ?? id, input ?? args ?? given)
    if (type === 'function_call_output') return resultBlock(name, call_id ?? id, content ?? output ?? result)
    return undefined
  },
}

function localShellOutput(_: Fields, id: string): object {
  return { type: 'local_shell_call_output', id, output: JSON.stringify(shellFailure()), status: 'incomplete' }
}

function shellFailure(): object {
  return { stdout: '', stderr: INTERRUPTED, outcome: { type: 'timeout' } }
}
