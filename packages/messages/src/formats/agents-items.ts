import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import { itemShape } from './item-shape.ts'
import type { Shape } from './shape.ts'
import { resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

const APPROVAL_REQUEST = 'mcp_approval_request'
const APPROVAL_RESPONSE = 'mcp_approval_response'

/** Items of the OpenAI Agents SDK, which name the pair by `callId` and hide approvals in `providerData`. */
export const agentsItems: Shape = /* @__PURE__ */ itemShape({
  name: 'agents-items',
  calls: new Map<string, (call: Fields, id: string) => object | undefined>([
    ['function_call', functionResult],
    // The only output is a screenshot, and inventing what was on a screen would be a lie.
    ['computer_call', () => undefined],
    [
      'shell_call',
      (_, callId) => ({
        type: 'shell_call_output',
        callId,
        output: [{ stdout: '', stderr: INTERRUPTED, outcome: { type: 'timeout' } }],
      }),
    ],
    [
      'apply_patch_call',
      (_, callId) => ({ type: 'apply_patch_call_output', callId, status: 'failed', output: INTERRUPTED }),
    ],
    [
      'tool_search_call',
      (_, callId) => ({ type: 'tool_search_output', callId, execution: 'client', status: 'completed', tools: [] }),
    ],
    ['program', (_, callId) => ({ type: 'program_output', callId, output: INTERRUPTED, status: 'incomplete' })],
    ['hosted_tool_call', approvalResponse],
  ]),
  results: new Set([
    'function_call_result',
    'computer_call_result',
    'shell_call_output',
    'apply_patch_call_output',
    'tool_search_output',
    'program_output',
    'hosted_tool_call',
  ]),
  callId(item) {
    if (item['type'] !== 'hosted_tool_call') return item['callId']
    const data = item['providerData']
    if (!isFields(data)) return undefined
    const isRequest = item['name'] === APPROVAL_REQUEST || data['type'] === APPROVAL_REQUEST
    return isRequest ? (data['id'] ?? item['id']) : undefined
  },
  resultId(item) {
    if (item['type'] !== 'hosted_tool_call') return item['callId']
    const data = item['providerData']
    if (!isFields(data)) return undefined
    const isResponse = item['name'] === APPROVAL_RESPONSE || data['type'] === APPROVAL_RESPONSE
    return isResponse ? data['approval_request_id'] : undefined
  },
})

export const agentsItemsRedaction: Redaction = { ids: ['callId'], callsOfTools: ['providerData'] }

export const agentsItemsDescription: Description = {
  part({ type, name, callId, id, content, output, result }) {
    return type === 'function_call_result' ? resultBlock(name, callId ?? id, content ?? output ?? result) : undefined
  },
}

function functionResult(call: Fields, callId: string): object {
  return {
    type: 'function_call_result',
    name: typeof call['name'] === 'string' ? call['name'] : '',
    callId,
    status: 'incomplete',
    output: { type: 'text', text: INTERRUPTED },
  }
}

function approvalResponse(_: Fields, id: string): object {
  return {
    type: 'hosted_tool_call',
    name: APPROVAL_RESPONSE,
    providerData: { approve: false, approval_request_id: id, reason: INTERRUPTED },
  }
}
