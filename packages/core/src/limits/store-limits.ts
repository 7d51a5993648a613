import type { Pin, StartOn } from '@turnlog/messages'
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
   * The most tokens in a view, handled like `maxMessages`; counted by `tokens`.
   * @default no limit
   */
  readonly maxTokens?: number
  /**
   * How many tokens a message takes. Asked once for each message object. The default is an estimate: four bytes of
   * JSON are taken for one token, which is too few for texts in other scripts and too many for code.
   * @default the estimate
   */
  readonly tokens?: (message: never) => number
  /**
   * With `onOverflow`: the number of messages at which the oldest are cut although nobody has summarised them, because
   * the summariser does not keep up. Has to be larger than `maxMessages`.
   * @default no limit: nothing is cut unsummarised
   */
  readonly hardMaxMessages?: number
  /** The same for bytes. Has to be larger than `maxSessionBytes`. @default no limit */
  readonly hardMaxSessionBytes?: number
  /** The same for tokens. Has to be larger than `maxTokens`. @default no limit */
  readonly hardMaxTokens?: number
  /**
   * With what a view begins that the store has cut. `'user'`: the first message of a user at which the limit holds,
   * because some APIs refuse a history that begins with the model; where no user speaks in what would stay, as with
   * `'any'`: wherever no tool call is split from its results. A pending call is never cut.
   * @default 'user'
   */
  readonly startOn?: StartOn
  /**
   * `'system'`: system and developer messages at the beginning of a view survive what the store cuts. They count.
   * @default 'system'
   */
  readonly pin?: Pin
}

/** How large messages and views may become. */
export type StoreLimits = WithPrefixes<LimitRules>
