import { isFields, type Fields } from '../formats/fields.ts'

/** Kept in a message, beside its pairing ids: fields that the formats fill, not people. */
const OF_MESSAGES = ['role', 'type', 'id', 'status', 'model', 'model_name', 'tool_name', 'toolName']

/** What pairs calls with results or messages with each other, by the names that the formats give it. */
const IDS = ['tool_call_id', 'tool_use_id', 'call_id', 'callId', 'toolCallId', 'approvalId', 'approval_request_id']
const OF_ENTRIES = ['uuid', 'parentUuid', 'invocationId']

const MESSAGE_FIELDS = new Set([...OF_MESSAGES, ...IDS, ...OF_ENTRIES])

/** Kept in a call or a result; `state` says whether a part of the AI SDK waits for its result. */
const TOOL_FIELDS = new Set(['type', 'id', 'name', 'toolName', 'state', ...IDS])

const TOOL_ROLES = new Set<unknown>(['tool', 'function'])
const TOOL_TYPE = /tool|function/i

/** A call or a result among the parts of a message: of Anthropic, and of the AI SDK. */
const TOOL_PART = /^(?:\w+_)?tool_(?:use|result)$|^tool-|^dynamic-tool$/

/** The types of the blocks that a result may consist of. Any other word there may be what the tool has found. */
const RESULT_TYPE =
  /^(?:(?:input_|output_)?(?:text|image|file|audio)(?:[_-](?:url|data))?|json|content|media|document|resource(?:_link)?|(?:web_)?search_result|error-(?:text|json)|execution-denied)$/

/** Where results are. Arguments are not here: no word in them is anybody's structure. */
const RESULTS = new Set(['content', 'output', 'result'])

/**
 * The message with every text replaced, also below the arguments and results of tools, whatever their fields are called.
 * What is kept is named by its place: roles, types, ids and the names of tools, where a format puts them. So a field
 * that nobody knows is replaced, and the calls of the copy pair with their results as they did.
 */
export function redactMessage(message: unknown): unknown {
  if (!isFields(message)) return redactAll(message)
  const { role, type, tool_call_id, name: toolName } = message
  const isTool = TOOL_ROLES.has(role) || matches(TOOL_TYPE, type)
  // The AI SDK and Gemini have their results as parts of a tool message; where the message itself names the call, all
  // that is in it is the result.
  const hasParts = !isTool || (TOOL_ROLES.has(role) && tool_call_id === undefined && toolName === undefined)
  return mapFields(message, (name, value) => {
    if (typeof value === 'string') {
      return MESSAGE_FIELDS.has(name) || (isTool && name === 'name') ? value : redactAll(value)
    }
    if (name === 'tool_calls') return mapList(value, redactNamedCall)
    if (name === 'function_call') return redactCall(value)
    // The Agents SDK hides approvals in it.
    if (name === 'providerData' && isTool) return redactCall(value)
    // Claude Code and the Agent Development Kit write the message into an entry.
    if (!isTool && (name === 'message' || isContentOfEntry(name, value))) return redactMessage(value)
    if (hasParts && name === 'content') return mapList(value, (part) => redactPart(part, isTool))
    if (hasParts && name === 'parts') return mapList(value, (part) => redactFunctionPart(part, isTool))
    return isTool && RESULTS.has(name) ? redactResult(value) : redactAll(value)
  })
}

function isContentOfEntry(name: string, value: unknown): boolean {
  return name === 'content' && isFields(value) && 'parts' in value
}

function redactPart(part: unknown, ofTool: boolean): unknown {
  if (!isFields(part)) return redactAll(part)
  const { type } = part
  if (matches(TOOL_PART, type)) return redactCall(part)
  if (ofTool) return redactResult(part)
  return mapFields(part, (name, value) => (name === 'type' && typeof value === 'string' ? value : redactAll(value)))
}

/** A part of Gemini, or of a UI message of the AI SDK. */
function redactFunctionPart(part: unknown, ofTool: boolean): unknown {
  const redacted = redactPart(part, ofTool)
  if (!isFields(part) || !isFields(redacted)) return redacted
  return mapFields(redacted, (name, value) =>
    name === 'functionCall' || name === 'functionResponse' ? redactCall(part[name] ?? null) : value,
  )
}

/** A call of the chat format, which has its name one object further down. */
function redactNamedCall(call: unknown): unknown {
  const redacted = redactCall(call)
  if (!isFields(call) || !isFields(redacted)) return redacted
  return mapFields(redacted, (name, value) =>
    name === 'function' || name === 'custom' ? redactCall(call[name] ?? null) : value,
  )
}

/** A call or a result. */
function redactCall(call: unknown): unknown {
  if (!isFields(call)) return redactAll(call)
  return mapFields(call, (name, value) => {
    if (typeof value === 'string' && TOOL_FIELDS.has(name)) return value
    return RESULTS.has(name) ? redactResult(value) : redactAll(value)
  })
}

function redactResult(result: unknown): unknown {
  return mapList(result, (block) => {
    if (!isFields(block)) return redactAll(block)
    return mapFields(block, (name, value) =>
      name === 'type' && matches(RESULT_TYPE, value) ? value : redactAll(value),
    )
  })
}

/** Every text by one of the same length, so that all counts and sizes stay true. */
export function redactAll(value: unknown): unknown {
  if (typeof value === 'string') return 'x'.repeat(value.length)
  if (Array.isArray(value)) return (value as readonly unknown[]).map(redactAll)
  return isFields(value) ? mapFields(value, (_, item) => redactAll(item)) : value
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value)
}

function mapList(value: unknown, map: (item: unknown) => unknown): unknown {
  return Array.isArray(value) ? (value as readonly unknown[]).map(map) : map(value)
}

/** By `fromEntries`, which makes a property even of `__proto__`. */
function mapFields(object: Fields, map: (name: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]))
}
