import { clipRanges } from '@turnlog/core/backend'
import type { Range } from '@turnlog/core/backend'

import { appendGroup } from '../append/append-group.ts'
import type { AppendRequest } from '../append/append-request.ts'
import { ReadCursor } from '../read/read-cursor.ts'
import { Snapshots } from '../read/snapshots.ts'
import type { Lease } from '../read/snapshots.ts'
import type { SqliteStore } from '../open/sqlite-store.ts'
import { Erasures } from '../sessions/erasures.ts'
import { findSession } from '../read/find-session.ts'
import { listSessions } from '../sessions/list-sessions.ts'
import { storeSizes } from '../maintenance/store-sizes.ts'
import { findOrphans, verifyPages } from '../maintenance/verify-store.ts'
import { verifySession } from '../maintenance/verify-session.ts'
import type { VerifiedSession } from '../maintenance/verify-session.ts'
import { Watches } from './watches.ts'
import type { HeadText } from '../format/session-row.ts'
import type { Engine, ReadPage } from './engine-calls.ts'

/** Sessions of one page of a list. */
const PAGE_SESSIONS = 256

/** What works on the database, in the thread that has it. */
export class LocalEngine implements Engine {
  readonly #store: SqliteStore
  readonly #snapshots: Snapshots
  readonly #erasures: Erasures
  readonly #watches: Watches
  readonly #reads = new Map<number, { readonly cursor: ReadCursor; readonly lease: Lease }>()
  #lastRead = 0

  constructor(store: SqliteStore, options: { pollMs: number; readOnly: boolean; onChange: (session: string) => void }) {
    this.#store = store
    this.#snapshots = new Snapshots(store.connect)
    this.#erasures = new Erasures(store, this.#snapshots)
    this.#watches = new Watches(store, options.pollMs, options.onChange)
    if (!options.readOnly) void this.#erasures.finish().catch(() => undefined) // the next erasure says what is wrong
  }

  append(requests: readonly AppendRequest[]): Promise<readonly (Error | undefined)[]> {
    return appendGroup(this.#store, requests)
  }

  async head(session: string): Promise<HeadText | undefined> {
    const { database, tables } = this.#store
    return this.#store.read(() => findSession(database, tables, session))
  }

  async read(
    session: string,
    ranges: readonly Range[],
    options: { reverse: boolean; limit: number },
  ): Promise<ReadPage> {
    const lease = this.#snapshots.lease()
    let isHeld = false
    try {
      const begin = (): ReadPage => {
        const { tables } = this.#store
        const database = lease.database ?? this.#store.database
        const found = findSession(database, tables, session)
        if (found === undefined) return { texts: [] }
        const cursor = new ReadCursor(tables, found, clipRanges(found, ranges), options)
        const texts = cursor.readPage(database)
        if (cursor.isAtEnd) return { texts }
        if (lease.database === undefined) cursor.readAhead(database) // there is no snapshot to come back to
        this.#reads.set(++this.#lastRead, { cursor, lease })
        lease.beforeTakeBack = (snapshot) => cursor.readAhead(snapshot)
        isHeld = true
        return { texts, next: this.#lastRead }
      }
      return lease.database === undefined ? await this.#store.read(begin) : begin()
    } finally {
      if (!isHeld) this.#snapshots.return(lease)
    }
  }

  async readNext(id: number): Promise<ReadPage> {
    const read = this.#reads.get(id)
    if (read === undefined) return { texts: [] }
    try {
      const { cursor, lease } = read
      const texts =
        lease.database === undefined
          ? await this.#store.read(() => {
              cursor.checkStillThere(this.#store.database)
              return cursor.readPage(this.#store.database)
            })
          : cursor.readPage(lease.database)
      if (!cursor.isAtEnd) return { texts, next: id }
      this.endRead(id)
      return { texts }
    } catch (error) {
      this.endRead(id)
      throw error
    }
  }

  endRead(id: number): void {
    const read = this.#reads.get(id)
    if (read === undefined) return
    this.#reads.delete(id)
    this.#snapshots.return(read.lease)
  }

  async list(prefix: string, after: string | undefined, limit: number): Promise<readonly HeadText[]> {
    const { database, tables } = this.#store
    const page = { prefix, after, limit: Math.min(limit, PAGE_SESSIONS) }
    return this.#store.read(() => listSessions(database, tables, page))
  }

  erase(session: string, expectedLast: number): Promise<number | undefined> {
    return this.#erasures.erase(session, expectedLast)
  }

  watch(session: string): void {
    this.#watches.add(session)
  }

  unwatch(session: string): void {
    this.#watches.remove(session)
  }

  async verifyPages(): Promise<readonly string[]> {
    const problems = await verifyPages(this.#store)
    if (await this.#erasures.isPending())
      problems.push('Bytes of erased sessions are still in the database; reclaim removes them.')
    return problems
  }

  verifySession(session: string): Promise<VerifiedSession> {
    return verifySession(this.#store, this.#snapshots, session)
  }

  findOrphans(): Promise<readonly string[]> {
    return findOrphans(this.#store)
  }

  async reclaim(): Promise<void> {
    if (await this.#erasures.isPending()) await this.#erasures.finish()
    else await this.#erasures.rewrite()
  }

  async sizes(): Promise<{ bytes: number; files: number }> {
    return storeSizes(this.#store)
  }

  close(): void {
    this.#watches.close()
    this.#reads.clear()
    this.#snapshots.close()
    this.#store.close()
  }
}
