import type { RecentOp } from '@turnlog/core'
import type { EventRecord, Json } from '@turnlog/core/backend'
import { redactAll, redactMessage } from '@turnlog/messages/redact'

const ENVELOPE = new Set(['seq', 'id', 'type', 'v', 'at', 'op', 'inert'])

/** In place of digests of requests, from which a short text could be guessed. */
const NO_DIGEST = 'redacted'

/** The event with every text replaced by one of the same length, so that all counts and sizes stay true. */
export function redactEvent(event: EventRecord): EventRecord {
  const fields: [string, unknown][] = []
  for (const [name, value] of Object.entries(event)) {
    if (value === undefined) continue
    if (ENVELOPE.has(name) || (name === 'kind' && event.type === 'Noted')) fields.push([name, value])
    else if (name === 'opHash') fields.push([name, NO_DIGEST])
    else if (name === 'ops') fields.push([name, redactOps(value)])
    else if (name === 'message') fields.push([name, redactMessage(value)])
    else fields.push([name, redactAll(value)])
  }
  return Object.fromEntries(fields) as unknown as EventRecord
}

/** What the projection would be if the redacted events had been written. */
export function redactProjection(projection: Json): Json {
  if (typeof projection !== 'object' || projection === null || Array.isArray(projection)) {
    return redactAll(projection) as Json
  }
  const fields = Object.entries(projection).map(([name, value]) => [
    name,
    name === 'recentOps' ? redactOps(value) : redactAll(value),
  ])
  return Object.fromEntries(fields) as Json
}

function redactOps(ops: Json): unknown {
  return Array.isArray(ops) ? (ops as readonly RecentOp[]).map((op) => op.with(1, NO_DIGEST)) : redactAll(ops)
}
