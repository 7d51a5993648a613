import { INTERRUPTED } from './interrupted.ts'
import { isFields } from './fields.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** Genkit: `toolRequest` and `toolResponse`, paired by `ref` or, without one, by name. */
export const genkitParts: Shape = /* @__PURE__ */ partListShape({
  name: 'genkit-parts',

  partsOf: ({ content }) => (Array.isArray(content) ? content : undefined),

  withParts: (message, content) => ({ ...message, content }),

  callOf: ({ toolRequest }) => linkOf(toolRequest),

  resultOf: ({ toolResponse }) => linkOf(toolResponse),

  answerPart({ toolRequest }) {
    if (!isFields(toolRequest)) return undefined
    const { ref, name } = toolRequest
    return { part: { toolResponse: { ...(ref === undefined ? {} : { ref }), name, output: { error: INTERRUPTED } } } }
  },

  reply: (_, part) => ({ role: 'tool', content: [part] }),

  isReasoning: (part) => typeof part['reasoning'] === 'string',
})

export const genkitPartsRedaction: Redaction = { toolFields: ['ref'], callsInParts: ['toolRequest', 'toolResponse'] }

export const genkitPartsDescription: Description = {
  part({ toolRequest, toolResponse }) {
    if (isFields(toolRequest)) return callBlock(toolRequest['name'], toolRequest['ref'], toolRequest['input'])
    if (!isFields(toolResponse)) return undefined
    return resultBlock(toolResponse['name'], toolResponse['ref'], toolResponse['output'])
  },
}

function linkOf(tool: unknown): { readonly id: string } | undefined {
  if (!isFields(tool)) return undefined
  const id = tool['ref'] ?? tool['name']
  return typeof id === 'string' ? { id } : undefined
}
