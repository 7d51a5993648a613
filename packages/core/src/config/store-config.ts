import type { Backend } from '../backend/backend.ts'
import type { BackendOptions } from '../backend/backend-definition.ts'
import type { JsonObject } from '../json/json.ts'
import type { AutoCompactPolicy } from '../lifecycle/auto-compact-policy.ts'
import type { ExpirePolicy } from '../lifecycle/expire-policy.ts'
import type { RetentionPolicy } from '../lifecycle/retention-policy.ts'
import type { SweepSchedule } from '../lifecycle/sweep-schedule.ts'
import type { SessionView } from '../store/session-store.ts'
import type { BackendRegistry } from './backend-registry.ts'
import type { Clock } from './clock.ts'
import type { StoreLimits } from './store-limits.ts'
import type { StoreWarning } from './store-warning.ts'
import type { ToolLinks } from '@turnlog/messages'

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

export interface StoreSettings<M extends object = JsonObject> {
  /**
   * How many bytes of views to keep in memory. A session is kept from its second use on, so that reading many sessions
   * once pushes out none that is in use. One that has dropped out, or was only written to, costs a cold load when it is
   * read; 0 keeps none.
   * @default 32 MiB
   */
  readonly viewCacheBytes?: number
  /**
   * Open for looking only: every write is refused with `READ_ONLY`, and nothing on the storage changes. A JSONL store
   * can be read so while another process writes to it.
   * @default false
   */
  readonly readOnly?: boolean
  /** @default see each limit */
  readonly limits?: StoreLimits
  /**
   * Summarises what a view must lose when it exceeds `limits.maxMessages` or `limits.maxSessionBytes`. Gets the oldest
   * messages of the view, down to 80 % of the limit, with the summary so far; what it gives becomes the summary, and
   * those messages leave the view, in one append. Runs outside the way of writes, four sessions at a time; a failure is
   * a warning, and it is tried again with longer and longer pauses.
   * @default none: the limits cut
   */
  onOverflow?(view: SessionView<M>, options: { readonly signal: AbortSignal }): Promise<string>
  /** Delete sessions that nobody uses any more. @default nothing expires */
  readonly expire?: ExpirePolicy
  /** Remove events that left the view, after a while. @default they stay until `compact` */
  readonly retention?: RetentionPolicy
  /** Remove events that left the view, where they are many. @default they stay until `compact` */
  readonly autoCompact?: AutoCompactPolicy
  /**
   * When the sweeper runs, which carries out `expire`, `retention` and `autoCompact`; without any of them it does not
   * run. `'manual'`: only when `store.sweep()` is called.
   * @default every 10 minutes
   */
  readonly sweep?: SweepSchedule | 'manual'
  /**
   * Says which tool calls a message makes and answers, for message shapes that Turnlog does not know. Asked first;
   * `undefined` leaves it to the shapes that are known. Costs one call for each message that a cut looks at.
   * @default only the known shapes
   */
  toolLinks?(message: M): ToolLinks | undefined
  /** @default the system's clock */
  readonly clock?: Clock
  /**
   * Told about everything that went on working but should be known: a fallback in use, a torn tail cut off.
   * @default `process.emitWarning`, or `console.warn` where there is no process
   */
  readonly onWarning?: (warning: StoreWarning) => void
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
