import { StoreError } from '../errors/store-error.ts'
import { checkConfig } from './check-config.ts'
import type { StoreConfig } from './store-config.ts'

/** Two characters at least, so that the drive in `C:\data` is not taken for a backend. */
const SCHEME = /^([a-z0-9-]{2,}):(.*)$/s

/**
 * Reads the short form, for environment variables and command lines: `leveldb:./data?durability=os`. Without a scheme
 * it is the path of a LevelDB store. What is asked for after `?` goes to the backend, except `durability`; whole and
 * decimal numbers and `true` and `false` are typed, `%20` and the like are decoded there (not in the path).
 *
 * @throws `INVALID_CONFIG`
 */
export function parseStoreString(text: string): StoreConfig {
  const [, scheme, rest = ''] = SCHEME.exec(text) ?? []
  if (scheme === undefined) {
    // A directory of that name is possible; far more probably the query was meant to be one.
    if (text.includes('?')) {
      throw invalid(text, 'options need a backend in front: leveldb:./data?durability=os. Give a real "?" as { path }')
    }
    return checked({ path: text })
  }
  const [path = '', ...query] = rest.split('?')
  const backendOptions: Record<string, string | number | boolean> = {}
  const config: Record<string, unknown> = { backend: scheme }
  if (path !== '') config['path'] = path
  for (const [name, value] of new URLSearchParams(query.join('?'))) {
    const given = name === 'durability' ? config : backendOptions
    if (value === '') throw invalid(text, `option "${name}" has no value`)
    if (Object.hasOwn(given, name)) throw invalid(text, `option "${name}" is there twice`)
    Object.defineProperty(given, name, { value: typed(value), enumerable: true })
  }
  if (Object.keys(backendOptions).length > 0) config['backendOptions'] = backendOptions
  return checked(config)
}

function checked(config: unknown): StoreConfig {
  checkConfig(config)
  return config
}

/** A number only if writing it gives the same text again: `007` and `1e3` may well be names. */
function typed(value: string): string | number | boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  const number = Number(value)
  return Number.isFinite(number) && String(number) === value ? number : value
}

function invalid(text: string, what: string): StoreError {
  // Not the query: it may hold a password.
  return new StoreError('INVALID_CONFIG', `Cannot open the store ${JSON.stringify(text.split('?')[0])}: ${what}.`)
}
