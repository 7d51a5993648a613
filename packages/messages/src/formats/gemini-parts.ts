import { INTERRUPTED } from './interrupted.ts'
import { isFields, type Fields } from './fields.ts'
import { partListShape } from './part-list-shape.ts'
import type { Shape } from './shape.ts'
import { callBlock, resultBlock, type Description } from './description.ts'
import type { Redaction } from './redaction.ts'

/** What makes an answer belong to the same run, in the events of the Agent Development Kit. */
const EVENT_FIELDS = ['type', 'invocationId', 'author', 'branch']

/**
 * Gemini contents: `parts` with `functionCall` and `functionResponse`, paired by id or, if either side has none, by name.
 * Two that both have ids belong together only if the ids are equal, so the name is an alias for the other kind alone.
 */
export const geminiParts: Shape = /* @__PURE__ */ partListShape({
  name: 'gemini-parts',

  partsOf(message) {
    const { parts } = isNested(message) ? message.content : message
    return Array.isArray(parts) ? parts : undefined
  },

  withParts(message, parts) {
    return isNested(message) ? { ...message, content: { ...message.content, parts } } : { ...message, parts }
  },

  callOf({ functionCall }) {
    if (!isFields(functionCall)) return undefined
    const { id, name } = functionCall
    if (typeof name !== 'string') return typeof id === 'string' ? { id } : undefined
    return typeof id === 'string' ? { id, alias: toWithoutId(name) } : { id: name, alias: toWithId(name) }
  },

  resultOf({ functionResponse }) {
    if (!isFields(functionResponse)) return undefined
    const { id, name } = functionResponse
    if (typeof name !== 'string') return typeof id === 'string' ? { id } : undefined
    return typeof id === 'string' ? { id, alias: toWithId(name) } : { id: name, alias: toWithoutId(name) }
  },

  answerPart({ functionCall }) {
    if (!isFields(functionCall)) return undefined
    const { id, name } = functionCall
    return {
      part: {
        functionResponse: {
          ...(typeof id === 'string' ? { id } : {}),
          ...(typeof name === 'string' ? { name } : {}),
          response: { error: INTERRUPTED },
        },
      },
    }
  },

  reply(message, part) {
    if (!isNested(message)) return { role: 'user', parts: [part] }
    const kept = EVENT_FIELDS.filter((field) => Object.hasOwn(message, field)).map((field) => [field, message[field]])
    return { ...Object.fromEntries(kept), content: { role: 'user', parts: [part] } }
  },
})

export const geminiPartsRedaction: Redaction = {
  messageFields: ['invocationId'],
  callsInParts: ['functionCall', 'functionResponse'],
  holdsMessage: (name, value) => name === 'content' && isFields(value) && 'parts' in value,
}

export const geminiPartsDescription: Description = {
  part({ functionCall, functionResponse }) {
    if (isFields(functionCall)) return callBlock(functionCall['name'], functionCall['id'], functionCall['args'])
    if (!isFields(functionResponse)) return undefined
    return resultBlock(functionResponse['name'], functionResponse['id'], functionResponse['response'])
  },
}

/** Where a call that has an id meets a response without one. */
function toWithoutId(name: string): string {
  return `response without id: ${name}`
}

/** Where a call without an id meets a response that has one. */
function toWithId(name: string): string {
  return `response with id: ${name}`
}

function isNested(message: Fields): message is Fields & { readonly content: Fields } {
  return isFields(message['content']) && Array.isArray(message['content']['parts'])
}
