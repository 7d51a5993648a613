import type { Json } from '@turnlog/core/backend'
import type { LegacySession } from './legacy-session.ts'
import { legacyTime } from './legacy-time.ts'
import { parseObject } from './parse-json.ts'
import type { FileBytes } from './read-bytes.ts'
import { leftovers, readKey, readSummary } from './read-fields.ts'
import { readMessage } from './read-message.ts'
import { Rejection } from './rejection.ts'

const KNOWN = new Set(['key', 'messages', 'summary', 'created', 'updated'])

/**
 * A session from `{ key, messages, summary?, created, updated }`.
 *
 * @throws {@link Rejection}
 */
export function readSnapshot(name: string, { bytes, modifiedAt }: FileBytes): LegacySession {
  const fields = parseObject(bytes, name)
  const key = readKey(fields, name)
  const { messages } = fields as { messages?: Json }
  if (messages !== null && !Array.isArray(messages)) {
    throw new Rejection('invalid', `${name} has no array "messages", so it is no session.`, { key })
  }
  const createdAt = legacyTime(fields['created']) ?? modifiedAt
  const rest = leftovers(fields, KNOWN)
  return {
    key,
    messages: (messages ?? []).map((message: unknown, i: number) =>
      readMessage(message, `${name}: messages[${i}]`, key),
    ),
    truncated: 0,
    summary: readSummary(fields, name),
    metadata: {},
    createdAt,
    updatedAt: Math.max(createdAt, legacyTime(fields['updated']) ?? modifiedAt),
    origin: { format: 'json', file: name, ...(Object.keys(rest).length === 0 ? undefined : { fields: rest }) },
    badLines: [],
  }
}
