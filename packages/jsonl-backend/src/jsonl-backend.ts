import { setImmediate } from 'node:timers/promises'
import type {
  AppendOptions,
  Backend,
  BackendDefinition,
  Capabilities,
  EventRecord,
  Expected,
  Head,
  Json,
  ListRange,
  Maintenance,
  OpenOptions,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from '@turnlog/core/backend'
import { checkRead, clipRanges, isStoreError, Lifecycle, StoreError } from '@turnlog/core/backend'
import { batchesOf, listedBetween } from './catalogue/listed.ts'
import { nodeFileSystem } from './file-system/node-file-system.ts'
import { encodeFileName } from './format/file-name.ts'
import { toStoreError } from './format/to-store-error.ts'
import type { JsonlOptions } from './jsonl-options.ts'
import { checkOptions } from './jsonl-options.ts'
import { describeLock } from './lock/describe-lock.ts'
import { thisHost } from './lock/host.ts'
import { JsonlMaintenance } from './maintenance/jsonl-maintenance.ts'
import type { Environment, OpenDirectory } from './open-directory.ts'
import { openDirectory } from './open-directory.ts'
import { headOf } from './session/committed.ts'
import type { Step } from './session/read-lines.ts'
import { readBackwards, readForwards } from './session/read-lines.ts'
import { Sessions } from './session/sessions.ts'
import { storePlace } from './store-place.ts'
import { changesOf } from './wake/directory-watch.ts'

/** Heads per batch of a listing. */
const LIST_BATCH = 512

class JsonlBackend implements Backend {
  readonly contract = 1
  readonly name = 'jsonl'
  readonly capabilities: Capabilities
  readonly maintenance: Maintenance
  readonly #options: Required<JsonlOptions>
  readonly #environment: Environment
  readonly #lifecycle = new Lifecycle('jsonl')
  #directory: OpenDirectory | undefined
  #sessions: Sessions | undefined

  constructor(options: Required<JsonlOptions>, environment: Environment) {
    this.#options = options
    this.#environment = environment
    this.capabilities = Object.freeze({
      persistent: true,
      durability: options.durability,
      access: 'exclusive',
      concurrentReaders: true,
      detectsDamage: true,
    })
    this.maintenance = new JsonlMaintenance({
      environment,
      path: options.path,
      lifecycle: this.#lifecycle,
      opened: () => this.#opened(),
      writable: () => this.#writable(),
    })
  }

  open({ readOnly = false }: OpenOptions = {}): Promise<OpenReport> {
    return this.#lifecycle.open(async () => {
      const directory = await openDirectory(this.#environment, this.#options, readOnly)
      this.#directory = directory
      this.#sessions = new Sessions(directory)
      return directory.report
    })
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      const directory = this.#directory
      await this.#sessions?.close()
      this.#directory = undefined
      this.#sessions = undefined
      try {
        await directory?.close()
      } catch (error) {
        throw toStoreError(error, 'close', this.#options.path)
      }
    })
  }

  async append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void> {
    this.#lifecycle.begin()
    try {
      await this.#writable().sessions.writer(session).append(expected, events, projection, options)
    } finally {
      this.#lifecycle.end()
    }
  }

  async *read(
    session: string,
    ranges: readonly Range[],
    options: ReadOptions = {},
  ): AsyncGenerator<readonly EventRecord[]> {
    const check = this.#lifecycle.guard()
    const { sessions } = this.#opened()
    checkRead(ranges, options)
    const { reverse = false, limit = Infinity, signal } = options
    signal?.throwIfAborted()
    const step: Step = (work) =>
      this.#lifecycle.run(async () => {
        signal?.throwIfAborted()
        return work().catch((error: unknown) => {
          throw toStoreError(error, 'read', session, session)
        })
      })
    const opened = await step(() => sessions.snapshot(session))
    if (opened === undefined) return
    try {
      let room = limit
      const clipped = clipRanges(opened.snapshot.committed.head, ranges)
      for (const range of reverse ? clipped.reverse() : clipped) {
        if (room <= 0) return
        const batches = (reverse ? readBackwards : readForwards)(opened.snapshot, range, room, step)
        for await (const batch of batches) {
          room -= batch.length
          yield batch
          check()
          signal?.throwIfAborted()
        }
      }
    } finally {
      opened.lease.release()
    }
  }

  async head(session: string): Promise<Head | undefined> {
    const { sessions } = this.#opened()
    return this.#lifecycle.run(() => sessions.head(session))
  }

  async *list(range: ListRange = {}): AsyncGenerator<readonly SessionHead[]> {
    const check = this.#lifecycle.guard()
    const { directory, sessions } = this.#opened()
    const { catalogue, readOnly } = directory
    const { prefix = '', after, limit = Infinity } = range
    const refresh = (work: () => Promise<void>): Promise<void> =>
      this.#lifecycle.run(() =>
        work().catch((error: unknown) => {
          throw toStoreError(error, 'list', directory.directory)
        }),
      )
    if (readOnly) await refresh(() => catalogue.refreshNames())
    const damaged: StoreError[] = []
    const wanted = listedBetween(await catalogue.list(), prefix, after)
    check()
    for (const listed of batchesOf(wanted, LIST_BATCH, limit)) {
      // A batch at a time, so that a long listing begins at once.
      if (readOnly) await refresh(() => catalogue.refreshFiles(listed.map(({ name }) => name)))
      const batch: SessionHead[] = []
      for (const { session, name } of listed) {
        try {
          const settled = sessions.settle(session)
          if (settled !== undefined) await this.#lifecycle.run(() => settled)
          const committed = catalogue.peek(name) ?? (await this.#lifecycle.run(() => catalogue.get(name)))
          if (committed !== undefined) batch.push({ session, ...headOf(committed) })
        } catch (error) {
          if (!isStoreError(error) || error.code === 'CLOSED') throw error
          damaged.push(error.session === undefined ? ofSession(error, session) : error)
        }
      }
      if (batch.length > 0) yield batch
      // Nothing here waits for anything, so without this a long listing would hold up everybody else.
      await setImmediate()
      check()
    }
    check()
    // At the end, so that one that is damaged or in doubt does not hide the sessions after it.
    const first = damaged[0] ?? catalogue.unnamed[0]
    if (first !== undefined) throw first
  }

  async erase(session: string, expectedLast: number): Promise<void> {
    const { sessions } = this.#writable()
    await this.#lifecycle.run(() => sessions.writer(session).erase(expectedLast))
  }

  async *wake(session: string, signal: AbortSignal): AsyncGenerator<void> {
    const { directory } = this.#opened()
    yield* changesOf(directory.watch, encodeFileName(session), signal)
  }

  #opened(): { readonly directory: OpenDirectory; readonly sessions: Sessions } {
    this.#lifecycle.check()
    const directory = this.#directory
    const sessions = this.#sessions
    if (directory === undefined || sessions === undefined) {
      throw new StoreError('CLOSED', 'The jsonl backend is closed. Call open() and wait for it first.')
    }
    return { directory, sessions }
  }

  #writable(): { readonly directory: OpenDirectory; readonly sessions: Sessions } {
    const opened = this.#opened()
    if (opened.directory.readOnly) {
      throw new StoreError('READ_ONLY', `The store at ${this.#options.path} was opened read-only. Open it for writing.`)
    }
    return opened
  }
}

/** A header that cannot be read does not say whose it is; the name of the file does. */
function ofSession(error: StoreError, session: string): StoreError {
  const { code, message, file, line } = error
  return new StoreError(code, message, {
    session,
    ...(file === undefined ? undefined : { file }),
    ...(line === undefined ? undefined : { line }),
    cause: error,
  })
}

/**
 * One readable `.jsonl` file per session, for people who want to `cat`, `grep`, `jq` and `diff` their conversations.
 *
 * @throws `INVALID_CONFIG`
 * @example
 * const backend = jsonlBackend({ path: './sessions' })
 */
export function jsonlBackend(options: JsonlOptions, environment?: Partial<Environment>): Backend {
  const { fileSystem = nodeFileSystem, host = thisHost() } = environment ?? {}
  return new JsonlBackend(checkOptions(options), { fileSystem, host })
}

/** For choosing this backend by name in a configuration. */
export const backend: BackendDefinition = {
  name: 'jsonl',
  contract: 1,
  create: (options) => jsonlBackend(checkOptions(options)),
  storePlace,
  describeLock,
}
