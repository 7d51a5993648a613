import { INTERRUPTED } from './interrupted.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** `UIMessage` of TanStack AI: a `tool-call` part that has its `output`, or a `tool-result` part behind it. */
export const tanstackParts: Shape = /* @__PURE__ */ partListShape({
  name: 'tanstack-parts',

  partsOf: ({ parts }) => (Array.isArray(parts) ? parts : undefined),

  withParts: (message, parts) => ({ ...message, parts }),

  callOf({ type, id, arguments: args, output }) {
    const isOpen = type === 'tool-call' && args !== undefined && output === undefined
    return isOpen && typeof id === 'string' ? { id } : undefined
  },

  resultOf({ type, toolCallId, content }) {
    return type === 'tool-result' && content !== undefined && typeof toolCallId === 'string'
      ? { id: toolCallId }
      : undefined
  },

  answerPart: (part, toolCallId) => ({
    inside: [part, { type: 'tool-result', toolCallId, content: INTERRUPTED, state: 'error', error: INTERRUPTED }],
  }),
})

export const tanstackPartsRedaction: Redaction = {
  ids: ['toolCallId'],
  toolFields: ['state'],
  toolPart: /^tool-(call|result)$/,
}

export const tanstackPartsDescription: Description = {
  part({ type, id, name, arguments: args, toolCallId, content }) {
    if (type === 'tool-call' && args !== undefined) return callBlock(name, id, args)
    return type === 'tool-result' && content !== undefined ? resultBlock('', toolCallId, content) : undefined
  },
}
