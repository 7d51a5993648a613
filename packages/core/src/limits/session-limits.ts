import type { LimitRules, StoreLimits } from './store-limits.ts'
import { prefixRules } from './prefix-rules.ts'
import type { AddLimit, ViewLimit } from './view-limit.ts'

const DEFAULT_MESSAGE_BYTES = 16 * 1024 * 1024

/** The limits of one session, as the parts of the store that enforce them want them. */
export interface SessionLimits {
  readonly maxMessageBytes: number
  readonly add: AddLimit
  /** The size from which on a summariser is asked. */
  readonly overflow: ViewLimit
}

/** @param isSummarised an `onOverflow` is there, so that only the hard limit may cut */
export function sessionLimits(limits: StoreLimits = {}, isSummarised: boolean): (key: string) => SessionLimits {
  return prefixRules<LimitRules, SessionLimits>(limits, (rules) => toSessionLimits(rules, isSummarised))
}

function toSessionLimits(rules: LimitRules, isSummarised: boolean): SessionLimits {
  const { maxMessageBytes = DEFAULT_MESSAGE_BYTES, maxMessages, maxSessionBytes, hardMaxMessages } = rules
  const cutAt = isSummarised ? { maxMessages: hardMaxMessages } : { maxMessages, maxSessionBytes }
  return {
    maxMessageBytes,
    add: { cutAt, refuseOver: maxSessionBytes ?? Infinity },
    overflow: { maxMessages, maxSessionBytes },
  }
}
