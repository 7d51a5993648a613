import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** Anthropic content blocks, in `content` or, as Claude Code writes its entries, in `message.content`. */
export const anthropicBlocks: Shape = /* @__PURE__ */ partListShape({
  name: 'anthropic-blocks',

  partsOf(message) {
    const { content } = isNested(message) ? message.message : message
    return Array.isArray(content) ? content : undefined
  },

  withParts(message, content) {
    return isNested(message) ? { ...message, message: { ...message.message, content } } : { ...message, content }
  },

  isReasoning: ({ type }) => type === 'thinking' || type === 'redacted_thinking',

  // tool_use, server_tool_use, mcp_tool_use
  callOf({ type, id }) {
    return typeof type === 'string' && /(^|_)tool_use$/.test(type) && typeof id === 'string' ? { id } : undefined
  },

  // tool_result, mcp_tool_result, web_search_tool_result, code_execution_tool_result, ...
  resultOf({ type, tool_use_id }) {
    return typeof type === 'string' && /(^|_)tool_result$/.test(type) && typeof tool_use_id === 'string'
      ? { id: tool_use_id }
      : undefined
  },

  answerPart(block, tool_use_id) {
    switch (block['type']) {
      case 'tool_use':
        return { part: { type: 'tool_result', tool_use_id, content: INTERRUPTED, is_error: true } }
      case 'mcp_tool_use': {
        const content = [{ type: 'text', text: INTERRUPTED }]
        return { inside: [block, { type: 'mcp_tool_result', tool_use_id, is_error: true, content }] }
      }
      default:
        // Results of the provider's own tools have a closed set of forms per tool: such a call is dropped.
        return undefined
    }
  },

  reply(message, part) {
    return isNested(message)
      ? { type: 'user', message: { role: 'user', content: [part] } }
      : { role: 'user', content: [part] }
  },
})

export const anthropicBlocksRedaction: Redaction = {
  ids: ['tool_use_id'],
  messageFields: ['uuid', 'parentUuid'],
  toolPart: /^(?:\w+_)?tool_(?:use|result)$/,
  holdsMessage: (name) => name === 'message',
}

export const anthropicBlocksDescription: Description = {
  part({ type, name, id, tool_use_id, input, content, output }) {
    if (type === 'tool_use') return callBlock(name, id, input)
    return type === 'tool_result' ? resultBlock(name, tool_use_id ?? id, content ?? output) : undefined
  },
}

function isNested(message: Fields): message is Fields & { readonly message: Fields } {
  return isFields(message['message'])
}
