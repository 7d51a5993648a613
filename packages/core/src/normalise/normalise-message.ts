import { StoreError } from '../errors/store-error.ts'
import { normaliseJson } from './normalise-json.ts'

/** A message as it is stored: checked, frozen, ours. */
export interface NormalMessage<M> {
  readonly message: M
  /** About the length of its JSON text. */
  readonly bytes: number
  readonly unfinished?: true
}

/**
 * @throws `INVALID_MESSAGE` with the path of what cannot be stored
 * @throws `TOO_LARGE`
 */
export function normaliseMessage<M extends object>(input: unknown, path: string, maxBytes: number): NormalMessage<M> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const found = Array.isArray(input) ? 'an array' : input === null ? 'null' : typeof input
    throw new StoreError('INVALID_MESSAGE', `${path}: a message must be an object, got ${found}.`)
  }
  const { value, bytes } = normaliseJson(input, path)
  const { role, type } = (value ?? {}) as { role?: unknown; type?: unknown } // a toJSON may give anything
  if (typeof role !== 'string' && typeof type !== 'string') {
    throw new StoreError('INVALID_MESSAGE', `${path}: a message needs a string "role" or a string "type".`)
  }
  if (bytes > maxBytes) {
    throw new StoreError(
      'TOO_LARGE',
      `${path}: the message has about ${bytes} bytes, more than limits.maxMessageBytes (${maxBytes}). Store large contents elsewhere and refer to them, or raise the limit.`,
    )
  }
  return { message: value as unknown as M, bytes }
}

export function bytesOf(messages: readonly NormalMessage<unknown>[]): number {
  return messages.reduce((sum, { bytes }) => sum + bytes, 0)
}
