import { INTERRUPTED } from './interrupted.ts'
import { isFields } from './fields.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** Goose: `toolRequest` and `toolResponse` blocks of one `id`. */
export const gooseMessages: Shape = /* @__PURE__ */ partListShape({
  name: 'goose-messages',

  partsOf: ({ content }) => (Array.isArray(content) ? content : undefined),

  withParts: (message, content) => ({ ...message, content }),

  callOf: ({ type, id }) => (type === 'toolRequest' && typeof id === 'string' ? { id } : undefined),

  resultOf: ({ type, id }) => (type === 'toolResponse' && typeof id === 'string' ? { id } : undefined),

  answerPart: (_, id) => ({
    part: { type: 'toolResponse', id, toolResult: { status: 'error', error: INTERRUPTED } },
  }),

  // Nothing that varies: the time of the call.
  reply: (message, part) => ({
    role: 'user',
    ...(message['created'] === undefined ? {} : { created: message['created'] }),
    content: [part],
  }),

  isReasoning: ({ type }) => type === 'thinking' || type === 'redactedThinking',
})

export const gooseMessagesRedaction: Redaction = { toolPart: /^tool(Request|Response)$/ }

export const gooseMessagesDescription: Description = {
  part({ type, id, toolCall, toolResult }) {
    const value = isFields(toolCall) ? toolCall['value'] : undefined
    if (type === 'toolRequest') {
      return isFields(value) ? callBlock(value['name'], id, value['arguments']) : callBlock('', id, toolCall)
    }
    if (type !== 'toolResponse') return undefined
    return resultBlock('', id, isFields(toolResult) ? (toolResult['value'] ?? toolResult['error']) : toolResult)
  },
}
