import { isFields, type Fields } from '../formats/fields.ts'
import { redactions } from '../formats/shapes.ts'

/** Fields of a message that most formats fill. */
const COMMON_FIELDS = ['role', 'type', 'id', 'status', 'model', 'model_name', 'tool_name']

const IDS = all('ids')
const MESSAGE_FIELDS = new Set([...COMMON_FIELDS, ...IDS, ...all('messageFields')])
const TOOL_FIELDS = new Set(['type', 'id', 'name', ...IDS, ...all('toolFields')])
const CALLS = new Set(all('calls'))
const NAMED_CALLS = new Set(all('namedCalls'))
const CALLS_OF_TOOLS = new Set(all('callsOfTools'))
const CALLS_IN_PARTS = new Set(all('callsInParts'))

const TOOL_ROLES = new Set<unknown>(['tool', 'function', ...all('toolRoles')])
const TOOL_TYPE = /tool|function/i

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
  const { role, type, name: toolName } = message
  const callId = message['tool_call_id'] ?? message['toolCallId']
  const isResult = typeof message['tool_call_id'] === 'string'
  const isTool = isResult || TOOL_ROLES.has(role) || matches(TOOL_TYPE, type)
  // The AI SDK and Gemini have their results as parts of a tool message; where the message itself names the call, all
  // that is in it is the result.
  const hasParts = !isTool || (TOOL_ROLES.has(role) && callId === undefined && toolName === undefined)
  return mapFields(message, (name, value) => {
    if (typeof value === 'string') {
      return MESSAGE_FIELDS.has(name) || (isTool && name === 'name') ? value : redactAll(value)
    }
    if (redactions.some((redaction) => redaction.isStructure?.(name, value) === true)) return value
    if (NAMED_CALLS.has(name)) return mapList(value, redactNamedCall)
    if (CALLS.has(name)) return redactCall(value)
    if (isTool && CALLS_OF_TOOLS.has(name)) return redactCall(value)
    // Claude Code and the Agent Development Kit write the message into an entry.
    if (!isTool && holdsMessage(name, value)) return redactMessage(value)
    if (hasParts && name === 'content') return mapList(value, (part) => redactFunctionPart(part, isTool))
    if (hasParts && name === 'parts') return mapList(value, (part) => redactFunctionPart(part, isTool))
    return isTool && RESULTS.has(name) ? redactResult(value) : redactAll(value)
  })
}

type Fielded =
  | 'ids'
  | 'messageFields'
  | 'toolFields'
  | 'calls'
  | 'namedCalls'
  | 'callsOfTools'
  | 'callsInParts'
  | 'toolRoles'

function all(list: Fielded): string[] {
  return redactions.flatMap((redaction) => redaction[list] ?? [])
}

function holdsMessage(name: string, value: unknown): boolean {
  return redactions.some((redaction) => redaction.holdsMessage?.(name, value) === true)
}

function redactPart(part: unknown, ofTool: boolean): unknown {
  if (!isFields(part)) return redactAll(part)
  const { type } = part
  if (redactions.some(({ toolPart }) => toolPart !== undefined && matches(toolPart, type))) return redactCall(part)
  if (ofTool) return redactResult(part)
  return mapFields(part, (name, value) => (name === 'type' && typeof value === 'string' ? value : redactAll(value)))
}

/** A part that may hold its call or result one object further down. */
function redactFunctionPart(part: unknown, ofTool: boolean): unknown {
  const redacted = redactPart(part, ofTool)
  if (!isFields(part) || !isFields(redacted)) return redacted
  return mapFields(redacted, (name, value) => (CALLS_IN_PARTS.has(name) ? redactCall(part[name] ?? null) : value))
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
