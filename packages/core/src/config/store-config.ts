import type { Backend } from '../backend/backend.ts'
import type { BackendOptions } from '../backend/backend-definition.ts'
import type { RetentionSettings } from '../retention/policies.ts'
import type { SessionSettings } from '../store/session-settings.ts'
import type { JsonObject } from '../json/json.ts'
import type { BackendRegistry } from '../backend/backend-registry.ts'

/** Makes the backend when the store is opened. Gets `path`, `durability` and the `backendOptions` in one object. */
export type BackendFactory = (options: BackendOptions) => Backend | Promise<Backend>

/**
 * A package (`my-backend`, `@scope/backend`) or a file (`./backend.js`) that exports `backend: BackendDefinition`.
 * A name without any of `/` and `-` has to be in {@link BackendRegistry}; otherwise a misspelt built-in name would
 * pass for a package, and its options would not be checked.
 */
export type BackendSpecifier = `${string}/${string}` | `${string}-${string}`

interface UntypedBackendOptions {
  readonly [option: string]: unknown
}

/** Where `path` and `durability` stand beside the other options in a backend's own type, they are set one level up. */
type OwnOptions<Options> = {
  readonly [Name in keyof Options as Name extends 'path' | 'durability' ? never : Name]: Options[Name]
}

type OptionsOf<Name extends string> = Name extends keyof BackendRegistry
  ? OwnOptions<BackendRegistry[Name]>
  : UntypedBackendOptions

interface Placed {
  /**
   * The directory (or file) of the store, relative to the working directory or to `configFile`. Created if missing.
   * Needed by `leveldb` and `jsonl`.
   */
  readonly path?: string
  /**
   * What an acknowledged write survives: `sync` a power failure, `os` the death of the process. `sync` costs a disk
   * flush for each group of concurrent writes: about a millisecond on a good SSD, ten and more on a slow disk.
   * @default 'sync'
   */
  readonly durability?: 'sync' | 'os'
}

interface ByName<Name extends string, Options> extends Placed {
  /**
   * Which backend: `leveldb`, `jsonl`, `memory`, a package or file that exports `backend`, an instance, or a factory.
   * @default 'leveldb'
   */
  readonly backend: Name
  /** Options of that backend; see its page for defaults and costs. @default none */
  readonly backendOptions?: Options
}

interface ByDefault extends Placed {
  readonly backend?: undefined
  readonly backendOptions?: OptionsOf<'leveldb'>
}

interface ByFactory extends Placed {
  readonly backend: BackendFactory
  readonly backendOptions?: UntypedBackendOptions
}

/** An instance has its place and options already; giving them again is `INVALID_CONFIG`. */
interface ByInstance {
  readonly backend: Backend
  readonly path?: never
  readonly durability?: never
  readonly backendOptions?: never
  readonly fallback?: never
}

type RegisteredName = Extract<keyof BackendRegistry, string>

/** Which backend, where, and with which options. */
export type BackendChoice =
  | { [Name in RegisteredName]: ByName<Name, OptionsOf<Name>> }[RegisteredName]
  | ByName<Exclude<'leveldb' | 'jsonl', RegisteredName>, UntypedBackendOptions>
  | ByName<BackendSpecifier, UntypedBackendOptions>
  | ByDefault
  | ByFactory

export interface StoreSettings<M extends object = JsonObject> extends SessionSettings<M>, RetentionSettings {
  /**
   * A directory of legacy sessions (`*.json`, or `*.jsonl` with `*.meta.json`) to bring in before the store opens. If
   * that fails, opening fails, and opening again goes on where it stopped. Costs nothing once they are in. Node only.
   * @default none
   */
  readonly migrateFrom?: string
  /**
   * The file that this configuration was read from, as a path or `import.meta.url`: relative paths and packages are
   * then looked up from there.
   * @default the working directory
   */
  readonly configFile?: string
}

interface WithFallback {
  /**
   * What to use if the backend is not installed or does not load on this machine. Used only while nothing is stored at
   * the `path` of the first choice, so that no history goes out of sight, and always with a warning. Its own path must
   * lie elsewhere. Sessions written to it stay there when the first choice works again, and a warning says so.
   * @default none: opening fails
   */
  readonly fallback?: BackendChoice
}

/** What a store is opened with. Everything has a default but the place: `{ path: './data' }` is a LevelDB store. */
export type StoreConfig<M extends object = JsonObject> = StoreSettings<M> &
  ((BackendChoice & WithFallback) | ByInstance)
