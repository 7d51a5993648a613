import { isStoreError, StoreError } from '../errors/store-error.ts'
import type { Json } from '../json/json.ts'
import type { BackendDriver, DriverFactory } from './backend-driver.ts'
import type {
  AppendOptions,
  Backend,
  Expected,
  Head,
  ListRange,
  OpenOptions,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from './backend.ts'
import type { Capabilities } from './capabilities.ts'
import { checkLimit, checkRead } from './clip-ranges.ts'
import type { EventRecord } from './event-record.ts'
import { joinedSignal } from './joined-signal.ts'
import { Lifecycle } from './lifecycle.ts'
import type { Maintenance, MaintenanceOptions, RepairOptions, RepairReport } from './maintenance.ts'

/** What exists from `open` to `close`. */
interface Opened {
  readonly driver: BackendDriver
  readonly readOnly: boolean
  /** Iterators of the driver that have not ended. */
  readonly iterators: Set<AsyncIterator<unknown>>
  /** Aborted by `close`, to end what would go on for long. */
  readonly controllers: Set<AbortController>
}

/** For the error text and for what it is about. */
interface Action {
  /** Completes the sentence "Cannot ...". */
  readonly what: string
  readonly session?: string
  readonly signal?: AbortSignal | undefined
}

class GuardedBackend implements Backend {
  readonly contract = 1
  readonly name: string
  readonly capabilities: Capabilities
  declare readonly wake?: (session: string, signal: AbortSignal) => AsyncIterable<void>
  declare readonly maintenance?: Maintenance
  readonly #factory: DriverFactory
  readonly #lifecycle: Lifecycle<Opened>

  constructor(name: string, capabilities: Capabilities, factory: DriverFactory) {
    this.name = name
    this.capabilities = Object.freeze({ ...capabilities })
    this.#factory = factory
    this.#lifecycle = new Lifecycle(name)
    if (factory.hasWake === true) this.wake = (session, signal) => this.#wake(session, signal)
    if (factory.repair !== undefined) this.maintenance = this.#maintenance(factory.repair)
  }

  async open({ readOnly = false }: OpenOptions = {}): Promise<OpenReport> {
    const opened = await this.#lifecycle.open(async () => {
      try {
        const driver = await this.#factory.open({ readOnly })
        return { driver, readOnly, iterators: new Set(), controllers: new Set() }
      } catch (error) {
        throw this.#toStoreError(error, { what: 'open the store' })
      }
    })
    return opened.driver.report
  }

  close(): Promise<void> {
    const stop = ({ controllers }: Opened): void => {
      for (const controller of controllers)
        controller.abort(new StoreError('CLOSED', `The ${this.name} backend was closed.`))
    }
    return this.#lifecycle.close(stop, async ({ driver, iterators }) => {
      // An iterator that nobody asks again would keep what it holds of the storage.
      await Promise.allSettled([...iterators].map(async (iterator) => iterator.return?.()))
      try {
        await driver.close()
      } catch (error) {
        throw this.#toStoreError(error, { what: 'close the store' })
      }
    })
  }

  /** Not async: each function that is awaited costs every message a turn and garbage. */
  append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void> {
    const action = { what: 'append', session }
    try {
      const driver = this.#checkWritable(this.#lifecycle.opened)
      const appended = driver.appendAtOnce?.(session, expected, events, projection, options)
      if (appended !== undefined) return appended
      return this.#run(action, () => driver.append(session, expected, events, projection, options))
    } catch (error) {
      return Promise.reject(this.#toStoreError(error, action))
    }
  }

  read(
    session: string,
    ranges: readonly Range[],
    options: ReadOptions = {},
  ): AsyncGenerator<readonly EventRecord[], void> {
    return this.#batches({ what: 'read', session, signal: options.signal }, (driver) => {
      checkRead(ranges, options)
      return driver.read(session, ranges, options)
    })
  }

  head(session: string): Promise<Head | undefined> {
    return this.#run({ what: 'read the head', session }, ({ driver }) => driver.head(session))
  }

  list(range: ListRange = {}): AsyncGenerator<readonly SessionHead[], void> {
    return this.#batches({ what: 'list sessions' }, (driver) => {
      checkLimit('list', range.limit)
      return driver.list(range)
    })
  }

  erase(session: string, expectedLast: number): Promise<void> {
    return this.#run({ what: 'erase', session }, (opened) => this.#checkWritable(opened).erase(session, expectedLast))
  }

  async *#wake(session: string, caller: AbortSignal): AsyncGenerator<void, void> {
    const { driver, controllers } = this.#lifecycle.opened
    const { signal, leave } = joinedSignal(controllers, caller)
    try {
      if (driver.wake !== undefined) yield* driver.wake(session, signal)
    } catch (error) {
      throw this.#toStoreError(error, { what: 'watch', session, signal })
    } finally {
      leave()
    }
  }

  #maintenance(repair: NonNullable<DriverFactory['repair']>): Maintenance {
    return {
      verify: (options) =>
        this.#maintain('verify the store', options, ({ driver }, all) => maintenanceOf(driver).verify(all)),
      reclaim: (options) =>
        this.#maintain('reclaim space', options, (opened, all) =>
          maintenanceOf(this.#checkWritable(opened)).reclaim(all),
        ),
      sizes: () => this.#run({ what: 'measure the store' }, ({ driver }) => maintenanceOf(driver).sizes()),
      repair: (options) => this.#repair(repair, options),
    }
  }

  /** `close` makes it end early, and waits until it has. */
  #maintain<T>(
    what: string,
    options: MaintenanceOptions = {},
    work: (opened: Opened, options: MaintenanceOptions) => Promise<T>,
  ): Promise<T> {
    return this.#run({ what, signal: options.signal }, async (opened) => {
      const { signal, leave } = joinedSignal(opened.controllers, options.signal)
      try {
        return await work(opened, { ...options, signal })
      } finally {
        leave()
      }
    })
  }

  async #repair(repair: NonNullable<DriverFactory['repair']>, options: RepairOptions = {}): Promise<RepairReport> {
    if (this.#lifecycle.isOpen) {
      throw new StoreError('INVALID_ARGUMENT', `Cannot repair the ${this.name} store while it is open. Close it first.`)
    }
    try {
      return await repair(options)
    } catch (error) {
      throw this.#toStoreError(error, { what: 'repair the store', signal: options.signal })
    }
  }

  /** Runs work that `close` waits for. */
  async #run<T>(action: Action, work: (opened: Opened) => Promise<T>): Promise<T> {
    const opened = this.#lifecycle.begin()
    try {
      return await work(opened)
    } catch (error) {
      throw this.#toStoreError(error, action)
    } finally {
      this.#lifecycle.end()
    }
  }

  /** The batches of an iterator of the driver. `close` waits for a step of it, not for its end. */
  async *#batches<T>(action: Action, begin: (driver: BackendDriver) => AsyncIterable<T>): AsyncGenerator<T, void> {
    const opened = this.#lifecycle.opened
    const iterator = begin(opened.driver)[Symbol.asyncIterator]()
    opened.iterators.add(iterator)
    const next = (): Promise<IteratorResult<T>> => iterator.next()
    try {
      for (;;) {
        this.#lifecycle.checkStill(opened)
        action.signal?.throwIfAborted()
        const step = await this.#run(action, next)
        if (step.done === true) return
        yield step.value
      }
    } finally {
      await iterator.return?.()
      opened.iterators.delete(iterator)
    }
  }

  /** @throws `READ_ONLY` */
  #checkWritable({ driver, readOnly }: Opened): BackendDriver {
    if (!readOnly) return driver
    throw new StoreError(
      'READ_ONLY',
      `The ${this.name} backend was opened read-only. Open it without readOnly to write.`,
    )
  }

  #toStoreError(error: unknown, { what, session, signal }: Action): unknown {
    if (isStoreError(error) || (signal?.aborted === true && error === signal.reason)) return error
    if (this.#factory.toStoreError !== undefined) return this.#factory.toStoreError(error, what, session)
    return new StoreError('IO', `Cannot ${what}: the ${this.name} storage failed. See the cause.`, {
      cause: error,
      ...(session === undefined ? undefined : { session }),
    })
  }
}

function maintenanceOf({ maintenance }: BackendDriver): Omit<Maintenance, 'repair'> {
  if (maintenance === undefined) throw new TypeError('The driver has no maintenance although its factory has repair.')
  return maintenance
}

/**
 * Makes a backend of a driver: checks what can be checked without the storage, opens and closes it once whoever asks,
 * refuses calls in the wrong state, and lets only `StoreError`s out. What is left to the driver is the storage.
 */
export function guardBackend(name: string, capabilities: Capabilities, factory: DriverFactory): Backend {
  return new GuardedBackend(name, capabilities, factory)
}
