import { describe } from './check-arguments.ts'
import { StoreError } from './store-error.ts'
import { nearestName } from './nearest-name.ts'

/** What an option may be. */
export interface Rule {
  readonly wanted: string
  readonly accepts: (value: unknown) => boolean
}

/** By the name of the option. */
export type Rules = Readonly<Record<string, Rule>>

export const aFunction: Rule = { wanted: 'a function', accepts: (value) => typeof value === 'function' }
export const anObject: Rule = { wanted: 'an object', accepts: isRecord }

/** A whole number, at least `least`. */
export function wholeNumber(unit: string, least: number): Rule {
  return {
    wanted: `a whole number of ${unit}, ${least} or more`,
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  }
}

/** @throws `INVALID_CONFIG`, with the name of the option that is unknown or wrong */
export function checkOptions(given: Record<string, unknown>, rules: Rules, prefix: string): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) {
      throw invalid(`there is no option "${prefix}${name}". ${adviceOnName(name, rules)}`)
    }
    if (value !== undefined && !rule.accepts(value)) {
      throw invalid(`option "${prefix}${name}" is ${show(value)}; it must be ${rule.wanted}`)
    }
  }
}

/** What was probably meant by an unknown name, as a sentence. */
export function adviceOnName(name: string, rules: Rules): string {
  const nearest = nearestName(name, Object.keys(rules))
  return nearest === undefined ? `Known: ${Object.keys(rules).join(', ')}.` : `Did you mean "${nearest}"?`
}

export function invalid(what: string): StoreError {
  return new StoreError('INVALID_CONFIG', `Cannot open the store: ${what}${/[.?]$/.test(what) ? '' : '.'}`)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Only what is certainly no secret: options may hold passwords. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'boolean' ? String(value) : describe(value)
}
