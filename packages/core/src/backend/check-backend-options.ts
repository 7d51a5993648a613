import { adviceOnName, show } from '../errors/option-rules.ts'
import type { Rule } from '../errors/option-rules.ts'
import { StoreError } from '../errors/store-error.ts'

/** One rule for each option; without a default it must be given, unless it is `optional`. */
export type BackendRules = Readonly<Record<string, Rule & { readonly fallback?: unknown; readonly optional?: true }>>

export const aBoolean: Rule = { wanted: 'true or false', accepts: (value) => typeof value === 'boolean' }

export const aDurability: Rule = {
  wanted: "'sync' or 'os'",
  accepts: (value) => value === 'sync' || value === 'os',
}

/** Text that the operating system takes for a path. */
export function pathOf(what: string): Rule {
  return {
    wanted: `the path of ${what}`,
    accepts: (value) => typeof value === 'string' && value !== '' && !value.includes('\0'),
  }
}

export function numberBetween(min: number, max: number): Rule {
  return {
    wanted: `a number from ${min} to ${max}`,
    accepts: (value) => typeof value === 'number' && value >= min && value <= max,
  }
}

export function wholeNumberBetween(unit: string, min: number, max: number): Rule {
  return {
    wanted: `a whole number of ${unit} from ${min} to ${max}`,
    accepts: (value) => Number.isSafeInteger(value) && numberBetween(min, max).accepts(value),
  }
}

/**
 * Checks the options that a backend was given.
 *
 * @returns them, and the defaults of the others
 * @throws `INVALID_CONFIG`
 */
export function checkBackendOptions(backend: string, given: object, rules: BackendRules): Record<string, unknown> {
  const options = given as Readonly<Record<string, unknown>>
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(rules, name)) continue
    const advice = adviceOnName(name, rules)
    throw new StoreError('INVALID_CONFIG', `Unknown option "${name}" for the ${backend} backend. ${advice}`)
  }
  const checked: Record<string, unknown> = {}
  for (const [name, { accepts, wanted, fallback, optional }] of Object.entries(rules)) {
    const value = options[name] === undefined ? fallback : options[name]
    if (value === undefined && optional === true) continue
    if (!accepts(value)) throw invalidOption(backend, name, value, `It must be ${wanted}`)
    checked[name] = value
  }
  return checked
}

export function invalidOption(backend: string, name: string, value: unknown, advice: string): StoreError {
  return new StoreError('INVALID_CONFIG', `Option "${name}" of the ${backend} backend is ${show(value)}. ${advice}.`)
}
