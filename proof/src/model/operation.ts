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
  | { readonly kind: 'delete'; readonly erase: boolean }
  /** Into this session, which does not exist: what the source was is spelled out. */
  | { readonly kind: 'fork'; readonly ids: readonly string[]; readonly summary: string; readonly counter: number }
