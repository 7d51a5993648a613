import type { Rule, Rules } from '../errors/option-rules.ts'
import { aFunction, anObject, checkOptions, invalid, isRecord, wholeNumber } from '../errors/option-rules.ts'
import type { LimitRules } from '../limits/store-limits.ts'

const milliseconds = wholeNumber('milliseconds', 0)

/** The options of the configuration that say what may be removed. */
export const POLICIES: Rules = {
  limits: anObject,
  onOverflow: aFunction,
  expire: anObject,
  retention: anObject,
  autoCompact: anObject,
  sweep: { wanted: 'an object or "manual"', accepts: (value) => isRecord(value) || value === 'manual' },
}

const LIMITS: Rules = {
  maxMessageBytes: wholeNumber('bytes', 1),
  maxMessages: wholeNumber('messages', 1),
  maxSessionBytes: wholeNumber('bytes', 1),
  maxTokens: wholeNumber('tokens', 1),
  tokens: aFunction,
  hardMaxMessages: wholeNumber('messages', 1),
  hardMaxSessionBytes: wholeNumber('bytes', 1),
  hardMaxTokens: wholeNumber('tokens', 1),
  startOn: oneOf('user', 'any'),
  pin: oneOf('system', 'none'),
}

const SOFT_LIMITS = ['maxMessages', 'maxSessionBytes', 'maxTokens'] as const

const HARD_LIMITS = {
  maxMessages: 'hardMaxMessages',
  maxSessionBytes: 'hardMaxSessionBytes',
  maxTokens: 'hardMaxTokens',
} as const

const EXPIRE: Rules = { idleForMs: orWord(milliseconds, 'never'), tracesForMs: orWord(milliseconds, 'forever') }

const RETENTION: Rules = { removedEventsForMs: orWord(milliseconds, 'forever') }

const AUTO_COMPACT: Rules = { deadRatio: aShare(), minBytes: wholeNumber('bytes', 0) }

const SWEEP: Rules = { intervalMs: wholeNumber('milliseconds', 1), jitter: aShare() }

/** @throws `INVALID_CONFIG`, with the name of the option */
export function checkPolicies(config: Record<string, unknown>): void {
  const { limits, expire, retention, autoCompact, sweep } = config
  checkWithPrefixes(limits, LIMITS, 'limits.')
  checkWithPrefixes(expire, EXPIRE, 'expire.')
  checkWithPrefixes(retention, RETENTION, 'retention.')
  checkOwn(autoCompact, AUTO_COMPACT, 'autoCompact.')
  if (sweep !== 'manual') checkOwn(sweep, SWEEP, 'sweep.')
  requireOptions(autoCompact, 'autoCompact.', ['deadRatio', 'minBytes'])
  requireOptions(retention, 'retention.', ['removedEventsForMs'])
  checkHardLimit(limits, config['onOverflow'] !== undefined)
}

function checkOwn(policy: unknown, rules: Rules, name: string): void {
  if (policy !== undefined) checkOptions(policy as Record<string, unknown>, rules, name)
}

function checkWithPrefixes(policy: unknown, rules: Rules, name: string): void {
  checkOwn(policy, { ...rules, prefixes: anObject }, name)
  const { prefixes = {} } = (policy ?? {}) as { readonly prefixes?: Record<string, unknown> }
  for (const [prefix, own] of Object.entries(prefixes)) {
    const path = `${name}prefixes[${JSON.stringify(prefix)}]`
    if (!isRecord(own)) throw invalid(`option "${path}" must be an object with options of "${name.slice(0, -1)}"`)
    checkOwn(own, rules, `${path}.`)
  }
}

function requireOptions(policy: unknown, name: string, needed: readonly string[]): void {
  if (policy === undefined) return
  const missing = needed.find((option) => (policy as Record<string, unknown>)[option] === undefined)
  if (missing !== undefined) throw invalid(`option "${name}${missing}" is missing; it has no default`)
}

/** A hard limit that does not leave the summariser room would cut in its place. */
function checkHardLimit(limits: unknown, isSummarised: boolean): void {
  const { prefixes = {}, ...general } = (limits ?? {}) as { prefixes?: object; [limit: string]: unknown }
  const policies = ([general, ...Object.values(prefixes)] as LimitRules[]).map((own): LimitRules =>
    Object.assign({}, general, own),
  )
  if (isSummarised && !policies.some((policy) => SOFT_LIMITS.some((name) => policy[name] !== undefined))) {
    throw invalid(
      `option "onOverflow" needs a limit to ask at: ${SOFT_LIMITS.map((name) => `limits.${name}`).join(', ')}`,
    )
  }
  for (const policy of policies) {
    for (const name of SOFT_LIMITS) {
      const hardName = HARD_LIMITS[name]
      const hard = policy[hardName]
      if (hard === undefined) continue
      if (!isSummarised) throw invalid(`option "limits.${hardName}" needs "onOverflow"; without it, ${name} cuts`)
      if (hard <= (policy[name] ?? 0)) {
        throw invalid(`option "limits.${hardName}" is ${hard}; it must be larger than ${name}`)
      }
    }
  }
}

function oneOf(...words: readonly string[]): Rule {
  return {
    wanted: words.map((word) => JSON.stringify(word)).join(' or '),
    accepts: (value) => words.includes(value as string),
  }
}

function orWord(rule: Rule, word: string): Rule {
  return { wanted: `${rule.wanted}, or "${word}"`, accepts: (value) => value === word || rule.accepts(value) }
}

function aShare(): Rule {
  return {
    wanted: 'a number from 0 to 1',
    accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  }
}
