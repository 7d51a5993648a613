import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseStoreString, StoreError } from '@turnlog/core'
import type { Backend, StoreConfig } from '@turnlog/core'

const CONFIG_FILE = 'turnlog.config.json'

/** Which store a command works on, and who said so. */
export interface ChosenStore {
  readonly config: StoreConfig
  /** As it is shown to a person: `--store jsonl:./data`. */
  readonly source: string
}

export interface Surroundings {
  /** What `--store` says. */
  readonly option: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly directory: string
}

/**
 * `--store` before `TURNLOG_STORE` before the nearest `turnlog.config.json` from the working directory upwards.
 *
 * @throws `INVALID_CONFIG`
 */
export async function chooseStore({ option, environment, directory }: Surroundings): Promise<ChosenStore> {
  if (option !== undefined) return fromText(option, '--store', directory)
  const variable = environment['TURNLOG_STORE']
  if (variable !== undefined && variable !== '') return fromText(variable, 'TURNLOG_STORE', directory)
  const file = findConfigFile(directory)
  if (file !== undefined) return { config: readConfigFile(file), source: file }
  throw new StoreError(
    'INVALID_CONFIG',
    `No store is chosen. Give --store leveldb:./sessions (or jsonl:./sessions), set TURNLOG_STORE, or write ${CONFIG_FILE} here or above ${directory}, such as { "backend": "leveldb", "path": "./sessions" }.`,
  )
}

/** Whether anything says which store is meant, right or wrong. */
export function isStoreChosen({ option, environment, directory }: Surroundings): boolean {
  return option !== undefined || (environment['TURNLOG_STORE'] ?? '') !== '' || findConfigFile(directory) !== undefined
}

async function fromText(text: string, name: string, directory: string): Promise<ChosenStore> {
  const source = `${name} ${text.split('?')[0]}`
  if (text === '') throw new StoreError('INVALID_CONFIG', `${name} is empty. Give a store, such as leveldb:./sessions.`)
  const file = resolve(directory, text)
  if (text.endsWith('.json') && existsSync(file)) return { config: readConfigFile(file), source }
  if (/\.[cm]?js$/.test(text)) return { config: await importConfig(file, name), source }
  return { config: parseStoreString(text), source }
}

function findConfigFile(directory: string): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const file = join(at, CONFIG_FILE)
    if (existsSync(file)) return file
    if (dirname(at) === at) return undefined
  }
}

/** Relative paths in it are relative to the file. */
function readConfigFile(file: string): StoreConfig {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? `it is not JSON (${error.message})` : String(error)
    throw new StoreError('INVALID_CONFIG', `Cannot use ${file}: ${reason}.`, { file, cause: error })
  }
  return located(value, file)
}

async function importConfig(file: string, name: string): Promise<StoreConfig> {
  if (!existsSync(file)) {
    throw new StoreError('INVALID_CONFIG', `${name} names the module ${file}, which is not there.`, { file })
  }
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreError('INVALID_CONFIG', `Cannot import ${file}: ${reason}`, { file, cause: error })
  }
  return located(module.default, file)
}

function located(value: unknown, file: string): StoreConfig {
  if (typeof value === 'string') return { ...parseStoreString(value), configFile: file }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StoreError(
      'INVALID_CONFIG',
      `Cannot use ${file}: it has to give (a module: as its default export) what openStore() takes, such as { "backend": "jsonl", "path": "./sessions" }.`,
      { file },
    )
  }
  if ('contract' in value) return { backend: value as Backend }
  return { configFile: file, ...(value as StoreConfig) }
}
