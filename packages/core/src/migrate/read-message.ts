import { isStoreError } from '../errors/store-error.ts'
import type { JsonObject } from '../json/json.ts'
import { normaliseMessage } from '../normalise/normalise-message.ts'
import type { LegacyMessage } from './legacy-session.ts'
import { legacyTime } from './legacy-time.ts'
import { Rejection } from './rejection.ts'

/** Where a message comes from and where it goes. */
export interface Place {
  readonly path: string
  readonly key: string
  readonly maxBytes: number
}

/**
 * A message as the store takes it.
 *
 * @throws {@link Rejection}: `invalid` if it is none, `failed` if the store's limit refuses it
 */
export function readMessage(value: unknown, { path, key, maxBytes }: Place): LegacyMessage {
  try {
    const { message, bytes } = normaliseMessage<JsonObject>(value, path, maxBytes)
    return { message, bytes, at: legacyTime(message['created_at']) }
  } catch (error) {
    if (!isStoreError(error)) throw error
    const status = error.code === 'TOO_LARGE' ? 'failed' : 'invalid'
    throw new Rejection(status, error.message, { code: error.code, key, cause: error })
  }
}
