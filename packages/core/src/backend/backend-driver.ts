import type { Json } from '../json/json.ts'
import type {
  AppendOptions,
  Expected,
  Head,
  ListRange,
  OpenOptions,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from './backend.ts'
import type { EventRecord } from './event-record.ts'
import type { Maintenance, RepairOptions, RepairReport } from './maintenance.ts'

/**
 * An open storage, as `guardBackend` calls it: with checked arguments, never to write when it was opened read-only, and
 * never after `close`. The methods keep what the contract says of their namesakes in `Backend`, except that the guard
 * refuses bad ranges and limits, says `CLOSED` and `READ_ONLY`, ends reads whose signal aborts, and wraps foreign errors.
 */
export interface BackendDriver {
  /** What opening found and did. */
  readonly report: OpenReport

  /** Compare with `planAppend` in the same critical section or transaction as the write. */
  append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options: AppendOptions | undefined,
  ): Promise<void>

  /**
   * The same for an append that has nothing to wait for but its write: the caller gets this very promise. The guard
   * neither counts nor wraps it, so `close` of the driver waits for it, and it rejects with a `StoreError`.
   *
   * @returns `undefined` if there is more to wait for; nothing has happened then, and `append` is called
   */
  appendAtOnce?(...change: Parameters<BackendDriver['append']>): Promise<void> | undefined

  /**
   * Called at the first step of a read, which is when its snapshot is taken. Between two batches the guard looks at the
   * signal; a driver that works long for one batch may look as well.
   */
  read(session: string, ranges: readonly Range[], options: ReadOptions): AsyncIterable<readonly EventRecord[]>

  head(session: string): Promise<Head | undefined>

  /** Called at the first step of a listing. */
  list(range: ListRange): AsyncIterable<readonly SessionHead[]>

  /** Compare the last seq where nobody can change it before the erasure, and throw `eraseConflict`. */
  erase(session: string, expectedLast: number): Promise<void>

  /** Ends when the signal aborts; `close` of the backend aborts it as well. */
  wake?(session: string, signal: AbortSignal): AsyncIterable<void>

  /** The signals that these get are aborted by `close` of the backend as well, with `CLOSED`. */
  readonly maintenance?: Omit<Maintenance, 'repair'>

  /** Called once, when no call and no step of an iterator is under way and every iterator has been ended. */
  close(): Promise<void>
}

/** What a backend package gives `guardBackend`: how to open its storage, and what is known before that. */
export interface DriverFactory {
  /** Import whatever is large or native in here: a program that only names the backend then does without it. */
  open(options: Required<OpenOptions>): Promise<BackendDriver>

  /** Repairs a closed storage. Give it if and only if the driver has `maintenance`. */
  readonly repair?: (options: RepairOptions) => Promise<RepairReport>

  /** Whether the driver has `wake`. @default false */
  readonly hasWake?: boolean

  /**
   * Turns what the storage threw into a `StoreError` that says what to do, the error as its `cause`. `what` completes
   * the sentence "Cannot ...". Without it that is `IO`.
   */
  toStoreError?(error: unknown, what: string, session: string | undefined): Error
}
