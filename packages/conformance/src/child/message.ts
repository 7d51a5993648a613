import type { AppendOptions, EventRecord, Expected, Json, OpenOptions } from '@turnlog/core/backend'

import type { SentError } from './sent-error.ts'

/** What a child is asked to do with its backend. */
export type Request =
  | { readonly method: 'open'; readonly options: OpenOptions }
  | { readonly method: 'close' | 'list' }
  | { readonly method: 'head' | 'read'; readonly session: string }
  | { readonly method: 'erase'; readonly session: string; readonly expectedLast: number }
  | {
      readonly method: 'append'
      readonly session: string
      readonly expected: Expected
      readonly events: readonly EventRecord[]
      readonly projection: Json
      readonly options?: AppendOptions
    }
  /** One append of many small events, made by the child. */
  | { readonly method: 'bulk'; readonly session: string; readonly from: number; readonly count: number }
  | { readonly method: 'churn'; readonly session: string; readonly turns: number; readonly seed: number }
  /** Reads all sessions again and again until `rest` is asked for; its answer says how often. */
  | { readonly method: 'watch'; readonly sessions: readonly string[] }
  | { readonly method: 'rest' }
  /** Appends without end, with an acknowledgement after each. */
  | { readonly method: 'write'; readonly sessions: readonly string[]; readonly seed: number }
  /**
   * `compete` appends `count` events, reading again and retrying after each CONFLICT.
   * `turns` opens, appends one event and closes, `count` times. `deeds` appends and erases, and says what it did.
   */
  | {
      readonly method: 'compete' | 'turns' | 'deeds'
      readonly session: string
      readonly writer: string
      readonly count: number
    }

/** One line of a child's output. */
export type Response =
  | { readonly kind: 'ready' }
  | { readonly kind: 'acknowledged'; readonly session: string; readonly first: number; readonly last: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown; readonly failure?: SentError }
