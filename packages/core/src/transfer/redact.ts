import type { EventRecord } from '../backend/event-record.ts'
import type { RecentOp } from '../events/session-event.ts'
import type { Json, JsonObject } from '../json/json.ts'

/** The fields that are not text but structure, wherever they stand in a message. */
const STRUCTURE = new Set(['role', 'type', 'id', 'status', 'model', 'model_name', 'tool_name', 'toolName'])

/** `tool_call_id`, `call_id`, `callId`, `toolCallId`: what pairs calls with results. */
const ID = /(?:_id|Id)$/

/** Objects in which `name` is that of a tool; elsewhere it may be a person's. */
const TOOL_FIELDS = new Set(['function', 'functionCall', 'functionResponse', 'function_call'])
const TOOL_TYPE = /tool|function/i

/** Fields of events that are the envelope, and those that have no text in them. */
const ENVELOPE = new Set(['seq', 'id', 'type', 'v', 'at', 'op', 'inert', 'kind', 'view', 'asked', 'of'])

/** In place of digests of requests, from which a short text could be guessed. */
const NO_DIGEST = 'redacted'

/** The event with every text replaced by one of the same length, so that all counts and sizes stay true. */
export function redactEvent(event: EventRecord): EventRecord {
  const fields: [string, Json][] = []
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined) continue
    if (ENVELOPE.has(name)) fields.push([name, value])
    else if (name === 'opHash') fields.push([name, NO_DIGEST])
    else if (name === 'ops') fields.push([name, redactOps(value)])
    else if (name === 'message') fields.push([name, redactMessage(value, '')])
    else fields.push([name, redactAll(value)])
  }
  return Object.fromEntries(fields) as unknown as EventRecord
}

/** What the projection would be if the redacted events had been written. */
export function redactProjection(projection: Json): Json {
  if (!isObject(projection)) return redactAll(projection)
  return mapObject(projection, (name, value) => (name === 'recentOps' ? redactOps(value) : redactAll(value)))
}

function redactOps(ops: Json): Json {
  if (!Array.isArray(ops)) return redactAll(ops)
  return (ops as readonly RecentOp[]).map((op) => op.with(1, NO_DIGEST) as Json)
}

function redactMessage(value: Json, field: string): Json {
  if (typeof value === 'string') return placeholder(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => redactMessage(item, field))
  if (!isObject(value)) return value
  const { type, role } = value as { type?: Json; role?: Json }
  const isTool = TOOL_FIELDS.has(field) || role === 'tool' || (typeof type === 'string' && TOOL_TYPE.test(type))
  return mapObject(value, (name, item) => {
    const isStructure = STRUCTURE.has(name) || ID.test(name) || (isTool && name === 'name')
    return isStructure && typeof item === 'string' ? item : redactMessage(item, name)
  })
}

function redactAll(value: Json): Json {
  if (typeof value === 'string') return placeholder(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map(redactAll)
  return isObject(value) ? mapObject(value, (_, item) => redactAll(item)) : value
}

function placeholder(text: string): string {
  return 'x'.repeat(text.length)
}

/** By `fromEntries`, which makes a property even of `__proto__`. */
function mapObject(object: JsonObject, map: (name: string, value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(name, value)]))
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
