import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/**
 * `tool-invocation` parts of AI SDK 4, in `parts`, and of Mastra, in `content.parts`: call and result are one part.
 */
export const toolInvocationParts: Shape = /* @__PURE__ */ partListShape({
  name: 'tool-invocation-parts',

  partsOf: (message) => {
    const { parts } = isFields(message['content']) ? message['content'] : message
    return Array.isArray(parts) ? parts : undefined
  },

  withParts: (message, parts) =>
    isFields(message['content']) ? { ...message, content: { ...message['content'], parts } } : { ...message, parts },

  callOf(part) {
    const { toolCallId, state } = invocationOf(part) ?? {}
    return typeof toolCallId === 'string' && state !== 'result' ? { id: toolCallId } : undefined
  },

  resultOf: () => undefined,

  answerPart(part) {
    const invocation = invocationOf(part)
    if (invocation === undefined) return undefined
    return { inside: [{ ...part, toolInvocation: { ...invocation, state: 'result', result: INTERRUPTED } }] }
  },
})

export const toolInvocationPartsRedaction: Redaction = {
  ids: ['toolCallId'],
  toolFields: ['state', 'toolName'],
  toolPart: /^tool-invocation$/,
  callsInParts: ['toolInvocation'],
}

export const toolInvocationPartsDescription: Description = {
  part(part) {
    const { toolName, toolCallId, state, args, result } = invocationOf(part) ?? {}
    if (toolCallId === undefined) return undefined
    return state === 'result' ? resultBlock(toolName, toolCallId, result) : callBlock(toolName, toolCallId, args)
  },
}

function invocationOf({ type, toolInvocation }: Fields): Fields | undefined {
  return type === 'tool-invocation' && isFields(toolInvocation) ? toolInvocation : undefined
}
