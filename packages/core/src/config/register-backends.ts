import { StoreError } from '../errors/store-error.ts'

/** Imports a module that exports `backend: BackendDefinition`. */
export type BackendLoader = () => Promise<unknown>

/** What a package that registers backends may say beside their names. */
export interface RegisterOptions {
  /** Used when a configuration names no backend. */
  readonly default?: string
  /** The names of backends that cannot do without a `path`. */
  readonly needPath?: readonly string[]
  /**
   * Finds the module of a backend that is not registered, without running it: a package or a file, as the file `base`
   * sees it. `undefined` if there is none.
   */
  find?(specifier: string, base: string | undefined): Promise<BackendLoader | undefined>
  /** The machine, for errors about a backend that does not load. */
  describeRuntime?(): string
}

/** Process-wide, because two copies of core in one process (two versions, two bundles) must see the same backends. */
const REGISTRY: symbol = Symbol.for('turnlog.backends')
const OPTIONS: symbol = Symbol.for('turnlog.backendOptions')

const holder = globalThis as unknown as Record<symbol, unknown>

/**
 * Makes backends available by name to every store of this process, ahead of all other ways to find them. Core itself
 * knows only `memory`; the package `turnlog` registers LevelDB and JSONL. Nothing is loaded before it is chosen. A later
 * registration of the same name, or of the same option, wins.
 *
 * @example registerBackends({ mine: () => import('./my-backend.js') }, { default: 'mine' })
 */
export function registerBackends(
  loaders: Readonly<Record<string, BackendLoader>>,
  options: RegisterOptions = {},
): void {
  for (const [name, loader] of Object.entries(loaders)) registeredBackends().set(name, loader)
  const { needPath = [], ...others } = options
  const known = registeredOptions()
  holder[OPTIONS] = { ...known, ...others, needPath: [...(known.needPath ?? []), ...needPath] }
}

export function registeredBackends(): Map<string, BackendLoader> {
  return (holder[REGISTRY] ??= new Map()) as Map<string, BackendLoader>
}

export function registeredOptions(): RegisterOptions {
  return holder[OPTIONS] ?? {}
}

/** @throws `INVALID_CONFIG` if no default is registered */
export function defaultBackendName(): string {
  const name = registeredOptions().default
  if (name !== undefined) return name
  throw new StoreError(
    'INVALID_CONFIG',
    'Cannot open the store: option "backend" is missing, and core alone has no default. Import openStore from "turnlog", or name a backend.',
  )
}
