export interface GrowthRequest {
  readonly directory: string
  /** The number of the first session. */
  readonly first: number
  readonly sessions: number
  readonly sessionEvents: number
  readonly seed: number
}

export interface GrownStore {
  /** All messages as JSON text in UTF-8. */
  readonly jsonBytes: number
  readonly fillUsPerEvent: number
  /** Growth of anonymous memory over the opened, empty store. Only Linux tells. */
  readonly anonymousMiB?: number
}

export function grownKey(index: number): string {
  return `user-${String(index).padStart(6, '0')}`
}
