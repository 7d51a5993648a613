import type { JsonObject } from '@turnlog/core/backend'
import type { LegacyMessage } from './legacy-session.ts'
import { legacyTime } from './legacy-time.ts'
import { Rejection } from './rejection.ts'

/**
 * A message with its time, if it says one.
 *
 * @throws {@link Rejection} if it is no message
 */
export function readMessage(value: unknown, source: string, key: string): LegacyMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Rejection('invalid', `${source}: a message must be an object.`, { code: 'INVALID_MESSAGE', key })
  }
  const message = value as JsonObject
  if (typeof message['role'] !== 'string' && typeof message['type'] !== 'string') {
    const reason = `${source}: a message needs a string "role" or a string "type".`
    throw new Rejection('invalid', reason, { code: 'INVALID_MESSAGE', key })
  }
  return { message, at: legacyTime(message['created_at']), source }
}
