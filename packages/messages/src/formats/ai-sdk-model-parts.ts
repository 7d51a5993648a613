import { INTERRUPTED } from './interrupted.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'

/** `ModelMessage` of the AI SDK: tool calls and approval requests in assistant messages, answers in tool messages. */
export const aiSdkModelParts: Shape = partListShape({
  name: 'ai-sdk-model-parts',

  partsOf: ({ content }) => (Array.isArray(content) ? content : undefined),

  withParts: (message, content) => ({ ...message, content }),

  callOf({ type, toolCallId, approvalId }) {
    if (type === 'tool-call' && typeof toolCallId === 'string') return { id: toolCallId }
    return type === 'tool-approval-request' && typeof approvalId === 'string' ? { id: approvalId } : undefined
  },

  resultOf({ type, toolCallId, approvalId }) {
    if (type === 'tool-result' && typeof toolCallId === 'string') return { id: toolCallId }
    return type === 'tool-approval-response' && typeof approvalId === 'string' ? { id: approvalId } : undefined
  },

  answerPart(part, id) {
    if (part['type'] === 'tool-approval-request') {
      return { part: { type: 'tool-approval-response', approvalId: id, approved: false, reason: INTERRUPTED } }
    }
    // Before version 5 the fields were called `args` and `result`.
    const outcome =
      Object.hasOwn(part, 'args') && !Object.hasOwn(part, 'input')
        ? { result: INTERRUPTED, isError: true }
        : { output: { type: 'error-text', value: INTERRUPTED } }
    const toolName = typeof part['toolName'] === 'string' ? part['toolName'] : ''
    const result = { type: 'tool-result', toolCallId: id, toolName, ...outcome }
    // What the provider executes is answered in the assistant message itself.
    return part['providerExecuted'] === true ? { inside: [part, result] } : { part: result }
  },

  reply: (_, part) => ({ role: 'tool', content: [part] }),
})
