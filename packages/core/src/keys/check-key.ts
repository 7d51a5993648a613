import { StoreError } from '../errors/store-error.ts'

const MAX_KEY_BYTES = 512

// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const REFUSED = /[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u

/** Operations check their key wherever they need one, so most keys are checked again at once. */
let lastValid: string | undefined

/**
 * Whether `key` may name a session: 1 to 512 bytes of well-formed UTF-8 without control characters.
 *
 * @throws `INVALID_KEY`
 */
export function checkKey(key: unknown): asserts key is string {
  if (key === lastValid && key !== undefined) return
  if (typeof key !== 'string')
    throw invalid(`a session key must be a string, got ${key === null ? 'null' : typeof key}`)
  if (key.length === 0) throw invalid('a session key must not be empty')
  // Every unit takes at least one byte and at most three, so most keys need no counting.
  if (key.length > MAX_KEY_BYTES / 3 && utf8Bytes(key) > MAX_KEY_BYTES) {
    throw invalid(`a session key has at most ${MAX_KEY_BYTES} bytes of UTF-8, this one has ${utf8Bytes(key)}`)
  }
  if (REFUSED.test(key)) throw invalid('a session key must not contain control characters or half of a surrogate pair')
  lastValid = key
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length
}

function invalid(why: string): StoreError {
  return new StoreError('INVALID_KEY', `Invalid session key: ${why}.`)
}

/**
 * What a listing compares keys with. Half of a surrogate pair, as of a key that was cut in the middle of an emoji, has no
 * bytes to compare.
 *
 * @throws `INVALID_ARGUMENT`
 */
export function checkKeyText(name: string, value: unknown): asserts value is string | undefined {
  if (value === undefined) return
  if (typeof value !== 'string') {
    throw new StoreError('INVALID_ARGUMENT', `${name} must be a string, got ${typeof value}.`)
  }
  if (/\p{Surrogate}/u.test(value)) {
    throw new StoreError('INVALID_ARGUMENT', `${name} contains half of a surrogate pair. Cut keys between characters.`)
  }
}
