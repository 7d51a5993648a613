import { INTERRUPTED } from './interrupted.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'

const FINISHED = new Set(['output-available', 'output-error', 'output-denied'])

/** `UIMessage` of the AI SDK: call and result are one part, so only an unfinished part can be left alone. */
export const aiSdkUiParts: Shape = partListShape({
  name: 'ai-sdk-ui-parts',

  partsOf: ({ parts }) => (Array.isArray(parts) ? parts : undefined),

  withParts: (message, parts) => ({ ...message, parts }),

  callOf({ type, toolCallId, state }) {
    const isTool = typeof type === 'string' && (type === 'dynamic-tool' || type.startsWith('tool-'))
    const isOpen = typeof state === 'string' && !FINISHED.has(state)
    return isTool && isOpen && typeof toolCallId === 'string' ? { id: toolCallId } : undefined
  },

  resultOf: () => undefined,

  answerPart: (part) => ({ inside: [{ ...part, state: 'output-error', errorText: INTERRUPTED }] }),
})
