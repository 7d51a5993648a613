import { HISTORY_APIS } from '@turnlog/messages'
import { isBackend } from '../backend/is-backend.ts'
import type { Rule, Rules } from '../errors/option-rules.ts'
import { aFunction, anObject, checkOptions, invalid, isRecord, show, wholeNumber } from '../errors/option-rules.ts'
import { MEMORY } from './load-definition.ts'
import { defaultBackendName, registeredOptions } from './register-backends.ts'
import { checkPolicies, POLICIES } from './check-policies.ts'
import type { StoreConfig } from './store-config.ts'

const text: Rule = {
  wanted: 'a string that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
}

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
  ...POLICIES,
  viewCacheBytes: wholeNumber('bytes', 0),
  readOnly: { wanted: 'true or false', accepts: (value) => typeof value === 'boolean' },
  toolLinks: aFunction,
  for: {
    wanted: `the name of an API: ${HISTORY_APIS.join(', ')}`,
    accepts: (value) => HISTORY_APIS.includes(value as string),
  },
  clock: {
    wanted: 'an object with now(), and maybe monotonic() and schedule()',
    accepts: (value) =>
      isRecord(value) &&
      typeof value['now'] === 'function' &&
      [value['monotonic'], value['schedule']].every((own) => own === undefined || typeof own === 'function'),
  },
  onWarning: aFunction,
  migrateFrom: text,
  configFile: text,
  fallback: anObject,
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
  checkPolicies(config)
  checkChoice(config, '')
  if (config['migrateFrom'] !== undefined && config['readOnly'] === true) {
    throw invalid('option "migrateFrom" writes to the store, and "readOnly" forbids it')
  }
  if (config['fallback'] !== undefined) checkFallback(config, config['fallback'] as Record<string, unknown>)
}

function checkChoice(given: Record<string, unknown>, prefix: string): void {
  const { backend = defaultBackendName(), path, backendOptions = {} } = given
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
  if (path === undefined && registeredOptions().needPath?.includes(String(backend)) === true) {
    throw invalid(`option "${prefix}path" is missing; backend "${String(backend)}" needs a directory`)
  }
  if (backend === MEMORY && placed[0] !== undefined) {
    throw invalid(`the ${MEMORY} backend takes no ${prefix}${placed[0]}`)
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
