import type { JsonObject } from '@turnlog/core/backend'
import { Rejection } from './rejection.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * The object that bytes of JSON text stand for. The texts of the decoder's and the parser's own errors quote what they
 * found, so they go no further than the cause.
 *
 * @throws {@link Rejection}
 */
export function parseObject(bytes: Uint8Array, name: string): JsonObject {
  if (bytes.length === 0) throw new Rejection('invalid', `${name} is empty.`)
  const value = parse(decode(bytes, name), name)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Rejection('invalid', `${name} holds JSON, but not an object.`)
  }
  return value as JsonObject
}

function decode(bytes: Uint8Array, name: string): string {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    throw new Rejection('invalid', `${name} is not valid UTF-8, or too large for one text.`, { cause: error })
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Rejection('invalid', `${name} is not valid JSON.`, { cause: error })
  }
}
