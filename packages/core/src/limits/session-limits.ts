import { StoreError } from '../errors/store-error.ts'
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
  const { maxMessageBytes = DEFAULT_MESSAGE_BYTES, maxMessages, maxSessionBytes, maxTokens } = rules
  const { startOn = 'user', pin = 'system', tokens } = rules
  const how = { startOn, pin, tokensOf: tokens === undefined ? undefined : countedOnce(tokens) }
  const soft = { maxMessages, maxSessionBytes, maxTokens, ...how }
  const { hardMaxMessages, hardMaxSessionBytes, hardMaxTokens } = rules
  const hard = { maxMessages: hardMaxMessages, maxSessionBytes: hardMaxSessionBytes, maxTokens: hardMaxTokens, ...how }
  return {
    maxMessageBytes,
    add: { cutAt: isSummarised ? hard : soft, refuseOver: maxSessionBytes ?? Infinity },
    overflow: soft,
  }
}

/** Counting takes a while, and every addition weighs the whole view. */
function countedOnce(tokens: (message: never) => number): (message: object) => number {
  const known = new WeakMap<object, number>()
  return (message) => {
    let count = known.get(message)
    if (count === undefined) known.set(message, (count = countTokens(tokens, message)))
    return count
  }
}

/** @throws `INVALID_CONFIG` */
function countTokens(tokens: (message: never) => number, message: object): number {
  let count: unknown
  let cause: unknown
  try {
    count = tokens(message as never)
  } catch (error) {
    cause = error
  }
  if (typeof count === 'number' && count >= 0 && count < Infinity) return count
  throw new StoreError(
    'INVALID_CONFIG',
    'The option limits.tokens must give the tokens of a message as a number, 0 or more.',
    cause === undefined ? {} : { cause },
  )
}
