/** A step of a conversation in the terms of no format: what the tests and the generators are written in. */
export type Step =
  | { readonly kind: 'user' }
  | { readonly kind: 'say' }
  | { readonly kind: 'system' }
  | { readonly kind: 'calls'; readonly ids: readonly string[] }
  | { readonly kind: 'results'; readonly ids: readonly string[] }

/** How a format writes the steps. Each step may become several messages. */
export interface Format {
  readonly name: string
  /** Whether one message can carry several calls. */
  readonly write: (step: Step) => object[]
  /** False where an assistant message comes between the items of one turn and so ends nothing. */
  readonly sayEndsTurn: boolean
}

export const user: Step = { kind: 'user' }
export const say: Step = { kind: 'say' }
export const calls = (...ids: string[]): Step => ({ kind: 'calls', ids })
export const results = (...ids: string[]): Step => ({ kind: 'results', ids })

export function write(format: Format, ...steps: readonly Step[]): object[] {
  return steps.flatMap((step) => format.write(step))
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
