import { StoreError } from '../errors/store-error.ts'
import { builtInBackends } from './built-in-backends.ts'
import { isBackend } from './is-backend.ts'
import { nearestName } from './nearest-name.ts'
import type { StoreConfig } from './store-config.ts'

interface Rule {
  readonly wanted: string
  readonly accepts: (value: unknown) => boolean
}

type Rules = Readonly<Record<string, Rule>>

const aFunction: Rule = { wanted: 'a function', accepts: (value) => typeof value === 'function' }
const text: Rule = {
  wanted: 'a string that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
}
const anObject: Rule = { wanted: 'an object', accepts: isRecord }

const CHOICE: Rules = {
  backend: {
    wanted: 'a name, a factory, or an object with all methods of a backend',
    accepts: (value) => text.accepts(value) || typeof value === 'function' || isBackend(value),
  },
  path: { ...text, accepts: (value) => text.accepts(value) && !String(value).includes('\0') },
  durability: { wanted: '"sync" or "os"', accepts: (value) => value === 'sync' || value === 'os' },
  backendOptions: anObject,
}

const CONFIG: Rules = {
  ...CHOICE,
  viewCacheBytes: {
    wanted: 'a whole number of bytes, 0 or more',
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  },
  readOnly: { wanted: 'true or false', accepts: (value) => typeof value === 'boolean' },
  limits: anObject,
  toolLinks: aFunction,
  clock: {
    wanted: 'an object with now()',
    accepts: (value) => isRecord(value) && typeof value['now'] === 'function',
  },
  onWarning: aFunction,
  migrateFrom: text,
  configFile: text,
  fallback: anObject,
}

const LIMITS: Rules = {
  maxMessageBytes: {
    wanted: 'a whole number of bytes, 1 or more',
    accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  },
}

/**
 * Checks everything that can be known before a backend is loaded. What a backend makes of its own options is its own
 * to check.
 *
 * @throws `INVALID_CONFIG`, with the name of the option
 */
export function checkConfig(config: unknown): asserts config is StoreConfig {
  if (!isRecord(config)) throw invalid(`the configuration is ${show(config)}; it must be an object, a path or a string`)
  checkOptions(config, CONFIG, '')
  if (config['limits'] !== undefined) checkOptions(config['limits'] as Record<string, unknown>, LIMITS, 'limits.')
  checkChoice(config, '')
  if (config['migrateFrom'] !== undefined && config['readOnly'] === true) {
    throw invalid('option "migrateFrom" writes to the store, and "readOnly" forbids it')
  }
  if (config['fallback'] !== undefined) checkFallback(config, config['fallback'] as Record<string, unknown>)
}

function checkOptions(given: Record<string, unknown>, rules: Rules, prefix: string): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) {
      const nearest = nearestName(name, Object.keys(rules))
      const advice = nearest === undefined ? `Known: ${Object.keys(rules).join(', ')}` : `Did you mean "${nearest}"?`
      throw invalid(`there is no option "${prefix}${name}". ${advice}`)
    }
    if (value !== undefined && !rule.accepts(value)) {
      throw invalid(`option "${prefix}${name}" is ${show(value)}; it must be ${rule.wanted}`)
    }
  }
}

function checkChoice(given: Record<string, unknown>, prefix: string): void {
  const { backend = 'leveldb', path, backendOptions = {} } = given
  const placed = ['path', 'durability', 'backendOptions'].filter((name) => given[name] !== undefined)
  if (isBackend(backend)) {
    const [extra] = given['fallback'] === undefined ? placed : [...placed, 'fallback']
    if (extra === undefined) return
    throw invalid(`option "${prefix}${extra}" cannot be given with a backend instance, which has been made already`)
  }
  for (const name of ['path', 'durability']) {
    if (!Object.hasOwn(backendOptions as object, name)) continue
    throw invalid(`option "${prefix}backendOptions.${name}" has to be given as "${prefix}${name}"`)
  }
  const needs = typeof backend === 'string' ? builtInBackends.get(backend)?.needs : undefined
  if (needs === 'path' && path === undefined) {
    throw invalid(`option "${prefix}path" is missing; backend "${String(backend)}" needs a directory`)
  }
  if (needs === 'nothing' && placed[0] !== undefined) {
    throw invalid(`option "${prefix}${placed[0]}" means nothing to backend "${String(backend)}"`)
  }
}

function checkFallback(config: Record<string, unknown>, fallback: Record<string, unknown>): void {
  checkOptions(fallback, CHOICE, 'fallback.')
  checkChoice(fallback, 'fallback.')
  if (isBackend(fallback['backend'])) {
    throw invalid('option "fallback.backend" is an instance; give a name or a factory, so that it is made only if used')
  }
  if (config['path'] === undefined) {
    throw invalid('option "fallback" needs "path", since it may be used only where nothing is stored yet')
  }
}

function invalid(what: string): StoreError {
  return new StoreError('INVALID_CONFIG', `Cannot open the store: ${what}${/[.?]$/.test(what) ? '' : '.'}`)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Only what is certainly no secret: options may hold passwords. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null
    ? 'an object'
    : typeof value === 'function'
      ? 'a function'
      : String(value)
}
