import { setImmediate } from 'node:timers/promises'
import type {
  AppendOptions,
  BackendDriver,
  EventRecord,
  Expected,
  Head,
  Json,
  ListRange,
  Maintenance,
  OpenReport,
  Range,
  ReadOptions,
  SessionHead,
} from '@turnlog/core/backend'
import { clipRanges, isStoreError, problemOf, StoreError } from '@turnlog/core/backend'
import { listedBetween } from './session-index/listed.ts'
import { encodeFileName } from './format/file-name.ts'
import type { JsonlOptions } from './options/jsonl-options.ts'
import { eachSession } from './maintenance/each-session.ts'
import { sizes } from './maintenance/sizes.ts'
import { verify } from './maintenance/verify.ts'
import type { Environment, OpenDirectory } from './open/open-directory.ts'
import { openDirectory } from './open/open-directory.ts'
import { headOf } from './format/committed.ts'
import { readBackwards, readForwards } from './read/read-lines.ts'
import { Sessions } from './sessions/sessions.ts'
import { changesOf } from './wake/directory-watch.ts'

/** Heads per batch of a listing. */
const LIST_BATCH = 512

export class JsonlDriver implements BackendDriver {
  readonly report: OpenReport
  readonly maintenance: Omit<Maintenance, 'repair'>
  readonly #directory: OpenDirectory
  readonly #sessions: Sessions

  private constructor(directory: OpenDirectory) {
    this.#directory = directory
    const sessions = new Sessions(directory)
    this.#sessions = sessions
    this.report = directory.report
    this.maintenance = {
      verify: (options) => verify(directory, sessions, options),
      reclaim: async (options = {}) => {
        let bytesFreed = 0
        await eachSession(directory, options, async ({ session }) => {
          bytesFreed += await sessions.writer(session).reclaim()
        })
        return { bytesFreed }
      },
      sizes: () => sizes(directory),
    }
  }

  static async open(
    environment: Environment,
    options: Required<JsonlOptions>,
    readOnly: boolean,
  ): Promise<JsonlDriver> {
    return new JsonlDriver(await openDirectory(environment, options, readOnly))
  }

  async close(): Promise<void> {
    await this.#sessions.close()
    await this.#directory.close()
  }

  append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options: AppendOptions | undefined,
  ): Promise<void> {
    return this.#sessions.writer(session).append(expected, events, projection, options)
  }

  async *read(
    session: string,
    ranges: readonly Range[],
    { reverse = false, limit = Infinity }: ReadOptions,
  ): AsyncGenerator<readonly EventRecord[], void> {
    const opened = await this.#sessions.snapshot(session)
    if (opened === undefined) return
    try {
      let room = limit
      const clipped = clipRanges(opened.snapshot.committed.head, ranges)
      for (const range of reverse ? clipped.reverse() : clipped) {
        if (room <= 0) return
        for await (const batch of (reverse ? readBackwards : readForwards)(opened.snapshot, range, room)) {
          room -= batch.length
          yield batch
        }
      }
    } finally {
      opened.lease.release()
    }
  }

  head(session: string): Promise<Head | undefined> {
    return this.#sessions.head(session)
  }

  async *list({ prefix = '', after, limit = Infinity }: ListRange): AsyncGenerator<readonly SessionHead[], void> {
    const { sessionIndex, readOnly } = this.#directory
    if (readOnly) await sessionIndex.refreshNames()
    const damaged: StoreError[] = []
    const wanted = listedBetween(await sessionIndex.list(), prefix, after, limit)
    for (let start = 0; start < wanted.length; start += LIST_BATCH) {
      const listed = wanted.slice(start, start + LIST_BATCH)
      // Refresh one batch at a time, so that a long listing begins at once.
      if (readOnly) await sessionIndex.refreshFiles(listed.map(({ name }) => name))
      const batch: SessionHead[] = []
      for (const { session, name } of listed) {
        try {
          const settled = this.#sessions.settle(session)
          if (settled !== undefined) await settled
          const committed = sessionIndex.peek(name) ?? (await sessionIndex.get(name))
          if (committed !== undefined) batch.push({ session, ...headOf(committed) })
        } catch (error) {
          if (!isStoreError(error)) throw error
          damaged.push(error.session === undefined ? ofSession(error, session) : error)
        }
      }
      if (batch.length > 0) yield batch
      // Nothing above has to wait for the disk, so without this a long listing would block the event loop.
      await setImmediate()
    }
    // Throw at the end, so that a damaged session does not hide the ones after it.
    const first = damaged[0] ?? sessionIndex.unnamed[0]
    if (first !== undefined) throw first
  }

  erase(session: string, expectedLast: number): Promise<void> {
    return this.#sessions.writer(session).erase(expectedLast)
  }

  wake(session: string, signal: AbortSignal): AsyncIterable<void> {
    return changesOf(this.#directory.watch, encodeFileName(session), signal)
  }
}

/** A damaged header does not name its session; the file name does. */
function ofSession(error: StoreError, session: string): StoreError {
  const { message, ...place } = problemOf(error)
  return new StoreError(error.code, message, { ...place, session, cause: error })
}
