import type { Json, JsonObject } from '@turnlog/core/backend'

/** `undefined` if the text is no JSON object: it is damaged, and the caller knows where. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

export function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
