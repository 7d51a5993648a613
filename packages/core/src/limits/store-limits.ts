import type { WithPrefixes } from './prefix-rules.ts'

export interface LimitRules {
  /**
   * The most bytes of JSON that one message may have; a larger one is refused with `TOO_LARGE`. Measured while the
   * message is written anyway, so it costs nothing; a high value costs memory wherever such a message is in a view.
   * @default 16 MiB
   */
  readonly maxMessageBytes?: number
  /**
   * The most messages in a view. `addMessage` and `addMessages` that exceed it cut the oldest messages from the view,
   * in the same append, down to 80 %, and never between a tool call and its results. What is cut stays in the log
   * until it is compacted. With `onOverflow` nothing is cut: exceeding it starts the summariser.
   * @default no limit
   */
  readonly maxMessages?: number
  /**
   * The most bytes of JSON in a view, handled like `maxMessages`. A single message that is larger is refused with
   * `TOO_LARGE`.
   * @default no limit
   */
  readonly maxSessionBytes?: number
  /**
   * With `onOverflow`: the number of messages at which the oldest are cut although nobody has summarised them, because
   * the summariser does not keep up. Has to be larger than `maxMessages`.
   * @default no limit: nothing is cut unsummarised
   */
  readonly hardMaxMessages?: number
}

/** How large messages and views may become. */
export type StoreLimits = WithPrefixes<LimitRules>
