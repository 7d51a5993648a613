/** One call of the store, as the oracle understands it. Messages are named by ids that never come twice. */
export type Operation =
  | { readonly kind: 'add'; readonly ids: readonly string[] }
  | { readonly kind: 'keepLast'; readonly count: number }
  | { readonly kind: 'cutBefore'; readonly id: string }
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'summarize'; readonly text: string; readonly through: string }
  | { readonly kind: 'history'; readonly ids: readonly string[] }
  | { readonly kind: 'replaceFrom'; readonly id: string; readonly ids: readonly string[] }
  | { readonly kind: 'restore'; readonly at: number }
  | { readonly kind: 'metadata'; readonly counter: number }
  | { readonly kind: 'note' }
  | { readonly kind: 'compact' }
  /** By hand, or as one that is idle. */
  | { readonly kind: 'delete'; readonly erase: boolean; readonly expire: boolean }
  /** Into this session, which does not exist: what the source was is spelled out. */
  | {
      readonly kind: 'fork'
      readonly from: string
      readonly ids: readonly string[]
      readonly summary: string
      readonly counter: number
    }

/** What a request names besides that: journaled, so that a later process can make the very same request again. */
export interface Place {
  readonly position?: number
  readonly version?: number
}

/** A call that was never answered, to be made again with the id that it had. */
export interface Retry {
  readonly key: string
  readonly op: Operation
  readonly place: Place
  readonly id: string
}
