import { eraseConflict, StoreError } from '@turnlog/core/backend'
import type {
  AppendOptions,
  BackendDriver,
  EventRecord,
  Expected,
  Head,
  Json,
  ListRange,
  OpenReport,
  Range,
  ReadOptions,
  RepairOptions,
  RepairReport,
  SessionHead,
} from '@turnlog/core/backend'

import type { AppendRequest } from './append/append-request.ts'
import { EVENTS_AT_ONCE, stringify, stringifyInTurns } from './append/event-texts.ts'
import { GroupCommit } from './append/group-commit.ts'
import { repairStore } from './maintenance/repair.ts'
import { verifyStore } from './maintenance/verify.ts'
import { openStore, openStoreOn } from './open/open-store.ts'
import type { SqliteStore } from './open/sqlite-store.ts'
import type { CheckedOptions } from './options/sqlite-options.ts'
import { LocalEngine } from './worker/engine.ts'
import type { HeadText } from './format/session-row.ts'
import type { Engine } from './worker/engine-calls.ts'
import { openInWorker } from './worker/open-in-worker.ts'

/** The half of the backend on the caller's thread: texts out of events, events out of texts. */
export class SqliteDriver implements BackendDriver {
  readonly report: OpenReport
  readonly maintenance: NonNullable<BackendDriver['maintenance']>
  readonly #engine: Engine
  readonly #commit: GroupCommit
  readonly #watchers: Map<string, Set<() => void>>

  static async open(options: CheckedOptions, readOnly: boolean): Promise<SqliteDriver> {
    const watchers = new Map<string, Set<() => void>>()
    const onChange = (session: string): void => {
      for (const tell of watchers.get(session) ?? []) tell()
    }
    const { engine, report } = await openEngine(options, readOnly, onChange)
    return new SqliteDriver(engine, report, watchers)
  }

  /** Of a closed store. */
  static async repair({ path, ...options }: CheckedOptions, request: RepairOptions): Promise<RepairReport> {
    if (path === undefined) {
      throw new StoreError(
        'INVALID_ARGUMENT',
        'A repair replaces the file of the database. Give the backend a path, not a database.',
      )
    }
    const verifier = (store: SqliteStore): LocalEngine =>
      new LocalEngine(store, { pollMs: options.pollMs, readOnly: true, onChange: () => undefined })
    return repairStore({ ...options, path, verifier }, request)
  }

  private constructor(engine: Engine, report: OpenReport, watchers: Map<string, Set<() => void>>) {
    this.#engine = engine
    this.#commit = new GroupCommit((group) => engine.append(group))
    this.#watchers = watchers
    this.report = report
    this.maintenance = {
      verify: (options) => verifyStore(engine, options),
      reclaim: async () => {
        const before = await engine.sizes()
        await engine.reclaim()
        return { bytesFreed: Math.max(0, before.bytes - (await engine.sizes()).bytes) }
      },
      sizes: async () => engine.sizes(),
    }
  }

  async append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options: AppendOptions = {},
  ): Promise<void> {
    const texts =
      events.length > EVENTS_AT_ONCE
        ? await stringifyInTurns(events, session)
        : events.map((event) => stringify(event, session))
    let bytes = 0
    for (const text of texts) bytes += Buffer.byteLength(text)
    const request: AppendRequest = {
      session,
      expected,
      events: events.map(({ seq }) => ({ seq })),
      texts,
      bytes,
      projection: stringify(projection, session),
      trimBefore: options.trimBefore,
      isImport: options.import === true,
    }
    await this.#commit.append(request)
  }

  async *read(
    session: string,
    ranges: readonly Range[],
    { reverse = false, limit = Infinity }: ReadOptions,
  ): AsyncGenerator<readonly EventRecord[], void> {
    let page = await this.#engine.read(session, ranges, { reverse, limit })
    let left = page.next
    try {
      for (;;) {
        // The next page is read while the caller works on this one.
        const next = page.next === undefined ? undefined : this.#engine.readNext(page.next)
        next?.catch(() => undefined) // told at the next step
        const events = page.texts.map((text) => parse<EventRecord>(text, session))
        if (events.length > 0) yield events
        if (next === undefined) return
        page = await next
        left = page.next
      }
    } finally {
      if (left !== undefined) await this.#engine.endRead(left)
    }
  }

  async head(session: string): Promise<Head | undefined> {
    const found = await this.#engine.head(session)
    return found === undefined ? undefined : toHead(found)
  }

  async *list({ prefix = '', after, limit = Infinity }: ListRange): AsyncGenerator<readonly SessionHead[], void> {
    let left = limit
    let last = after
    while (left > 0) {
      const rows = await this.#engine.list(prefix, last, left)
      if (rows.length === 0) return
      left -= rows.length
      last = rows.at(-1)?.key
      yield rows.map((row) => Object.assign(toHead(row), { session: row.key }))
    }
  }

  async erase(session: string, expectedLast: number): Promise<void> {
    const actual = await this.#engine.erase(session, expectedLast)
    if (actual !== undefined) throw eraseConflict(session, expectedLast, actual)
  }

  async *wake(session: string, signal: AbortSignal): AsyncGenerator<void, void> {
    let isChanged = false
    let tell = (): void => undefined
    const listener = (): void => {
      isChanged = true
      tell()
    }
    const listeners = this.#watchers.get(session) ?? new Set()
    this.#watchers.set(session, listeners.add(listener))
    signal.addEventListener('abort', listener)
    await this.#engine.watch(session)
    try {
      while (!signal.aborted) {
        if (!isChanged) await new Promise<void>((resolve) => (tell = resolve))
        isChanged = false
        if (!signal.aborted) yield
      }
    } finally {
      signal.removeEventListener('abort', listener)
      listeners.delete(listener)
      if (listeners.size === 0) this.#watchers.delete(session)
      await Promise.resolve(this.#engine.unwatch(session)).catch(() => undefined) // closed meanwhile
    }
  }

  async close(): Promise<void> {
    await this.#commit.drain()
    await this.#engine.close()
  }
}

async function openEngine(
  options: CheckedOptions,
  readOnly: boolean,
  onChange: (session: string) => void,
): Promise<{ readonly engine: Engine; readonly report: OpenReport }> {
  const { path, database, durability, driver, worker, tablePrefix, waitMs, pollMs } = options
  const common = { durability, driver, tablePrefix, waitMs, pollMs, readOnly }
  if (path !== undefined && worker) return openInWorker({ ...common, path }, onChange)
  const store =
    database === undefined ? await openStore({ ...common, path: path ?? '' }) : await openStoreOn(database, common)
  return { engine: new LocalEngine(store, { pollMs, readOnly, onChange }), report: store.report }
}

function toHead({ first, last, incarnation, bytes, projection, key }: HeadText): Head {
  return { first, last, incarnation, bytes, projection: parse<Json>(projection, key) }
}

/** Its checksum was right, so only who wrote it can have made a mistake. What `JSON.parse` says quotes it. */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- what was stringified comes back
function parse<T>(text: string, session: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new StoreError('CORRUPT', `Session ${JSON.stringify(session)} holds what is not JSON.`, { session })
  }
}
