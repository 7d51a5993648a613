import { callBlock, resultBlock, type Description } from './description.ts'
import { isFields } from './fields.ts'
import { INTERRUPTED } from './interrupted.ts'
import { partListShape } from './part-list-shape.ts'
import type { Redaction } from './redaction.ts'
import type { Shape } from './shape.ts'

/** Content blocks of Bedrock Converse, and of Strands agents, which take them over: `toolUse` and `toolResult`. */
export const bedrockBlocks: Shape = /* @__PURE__ */ partListShape({
  name: 'bedrock-blocks',

  partsOf: ({ content }) => (Array.isArray(content) ? content : undefined),

  withParts: (message, content) => ({ ...message, content }),

  callOf: ({ toolUse }) => linkOf(toolUse),

  resultOf: ({ toolResult }) => linkOf(toolResult),

  answerPart: (_, toolUseId) => ({
    part: { toolResult: { toolUseId, content: [{ text: INTERRUPTED }], status: 'error' } },
  }),

  reply: (_, part) => ({ role: 'user', content: [part] }),

  isReasoning: (part) => 'reasoningContent' in part,
})

export const bedrockBlocksRedaction: Redaction = { ids: ['toolUseId'], callsInParts: ['toolUse', 'toolResult'] }

export const bedrockBlocksDescription: Description = {
  part({ type, toolUse, toolResult }) {
    if (isFields(toolUse)) return callBlock(toolUse['name'], toolUse['toolUseId'], toolUse['input'])
    return isFields(toolResult) && type === undefined
      ? resultBlock('', toolResult['toolUseId'], toolResult['content'])
      : undefined
  },
}

function linkOf(block: unknown): { readonly id: string } | undefined {
  const id = isFields(block) ? block['toolUseId'] : undefined
  return typeof id === 'string' ? { id } : undefined
}
