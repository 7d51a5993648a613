import { INTERRUPTED } from './interrupted.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** `ModelMessage` of the AI SDK: tool calls and approval requests in assistant messages, answers in tool messages. */
export const aiSdkModelParts: Shape = /* @__PURE__ */ partListShape({
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

export const aiSdkModelPartsRedaction: Redaction = {
  ids: ['toolCallId', 'approvalId'],
  messageFields: ['toolName'],
  toolFields: ['toolName'],
  toolPart: /^tool-/,
}

export const aiSdkModelPartsDescription: Description = {
  part({ type, name, toolName, toolCallId, input, args, content, output, result }) {
    if (type === 'tool-call') return callBlock(name ?? toolName, toolCallId, input ?? args)
    if (type !== 'tool-result') return undefined
    return resultBlock(name ?? toolName, toolCallId, content ?? output ?? result)
  },
}
