import { isFields } from './fields.ts'
import { INTERRUPTED } from './interrupted.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import type { Redaction } from './redaction.ts'

const FINISHED = new Set(['output-available', 'output-error', 'output-denied'])

/** `UIMessage` of the AI SDK: call and result are one part, so only an unfinished part can be left alone. */
export const aiSdkUiParts: Shape = /* @__PURE__ */ partListShape({
  name: 'ai-sdk-ui-parts',

  partsOf: ({ parts }) => (Array.isArray(parts) ? parts : undefined),

  withParts: (message, parts) => ({ ...message, parts }),

  callOf({ type, toolCallId, state }) {
    const isTool = typeof type === 'string' && (type === 'dynamic-tool' || type.startsWith('tool-'))
    const isOpen = typeof state === 'string' && !FINISHED.has(state)
    return isTool && isOpen && typeof toolCallId === 'string' ? { id: toolCallId } : undefined
  },

  resultOf: () => undefined,

  answerPart(part) {
    const { state, approval } = part
    const { id, approved } = isFields(approval) ? approval : {}
    // What was never allowed did not fail, and the SDK refuses an error whose approval is open or denied.
    if (typeof id !== 'string' || (approved === true && state !== 'approval-requested')) {
      return { inside: [{ ...part, state: 'output-error', errorText: INTERRUPTED }] }
    }
    const reason = isFields(approval) && typeof approval['reason'] === 'string' ? approval['reason'] : INTERRUPTED
    return { inside: [{ ...part, state: 'output-denied', approval: { id, approved: false, reason } }] }
  },
})

/** `state` says whether a part waits for its result. */
export const aiSdkUiPartsRedaction: Redaction = { toolFields: ['state'], toolPart: /^tool-|^dynamic-tool$/ }
