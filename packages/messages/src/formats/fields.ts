/** A JSON object of which nothing is known yet. */
export interface Fields {
  readonly [name: string]: unknown
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
