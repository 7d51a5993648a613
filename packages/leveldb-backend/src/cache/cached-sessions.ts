import { LruMap } from '@turnlog/storage-kit'
import { LRUCache } from 'lru-cache'

import type { Database } from '../database/database.ts'
import type { HeadRow } from '../format/head-row.ts'
import { decodeHead } from '../format/head-row.ts'
import { corruptRow } from '../format/row-value.ts'
import { SessionKeys } from '../format/row-keys.ts'
import { CachedSession } from './cached-session.ts'

/** About 1 KB each with a usual projection. */
const MAX_SESSIONS = 2048
/** What unsealed tails may take, over all sessions. A tail that fell out is read back when it is full. */
const TAILS_BYTES = 8 * 1024 * 1024

/** The sessions that are in memory. Those with work in the queue always stay. */
export class CachedSessions {
  readonly #database: Database
  readonly #loaded: (state: CachedSession) => void
  readonly #states = new LruMap<CachedSession>((state) => state.isBusy)
  readonly #loading = new Map<string, Promise<CachedSession>>()
  /** The bytes of each tail; the tails that did not grow for longest leave first. */
  readonly #tails = new LRUCache<CachedSession, number>({
    maxSize: TAILS_BYTES,
    sizeCalculation: (bytes) => bytes,
    noDisposeOnSet: true,
    dispose: (_bytes, state, reason) => {
      if (reason === 'evict') state.tail = undefined
    },
  })

  constructor(database: Database, loaded: (state: CachedSession) => void = () => undefined) {
    this.#database = database
    this.#loaded = loaded
  }

  get(session: string): CachedSession | undefined {
    return this.#states.get(session)
  }

  /** From memory, or from the head row. */
  async load(session: string): Promise<CachedSession> {
    for (;;) {
      const state = this.get(session)
      if (state !== undefined) {
        if (state.erasing === undefined) return state
        await state.erasing.catch(() => undefined) // the one who erases is told
        continue
      }
      let loading = this.#loading.get(session)
      if (loading === undefined) {
        loading = this.#read(session).finally(() => this.#loading.delete(session))
        this.#loading.set(session, loading)
      }
      await loading
    }
  }

  /** Says how large a tail has become, and lets go of those that were idle longest if all together are too large. */
  keepTail(state: CachedSession, bytes: number): void {
    state.fillsSegments = true
    if (bytes === 0) this.#tails.delete(state)
    else if (this.#tails.get(state) !== bytes) this.#tails.set(state, bytes)
  }

  forget(state: CachedSession): void {
    this.#tails.delete(state)
    if (this.#states.get(state.session) === state) this.#states.delete(state.session)
  }

  async #read(session: string): Promise<CachedSession> {
    const state = new CachedSession(session, await readHead(this.#database, session))
    this.#states.shrink(MAX_SESSIONS - 1, (oldest) => this.#tails.delete(oldest))
    this.#states.set(session, state)
    this.#loaded(state)
    return state
  }
}

/**
 * The head row. Where there is none there must be no events either. No snapshot is needed to see both at one time: to
 * append, this process must have loaded the session before, and nobody else writes.
 *
 * @throws `CORRUPT`, `UNSUPPORTED`
 */
async function readHead(database: Database, session: string): Promise<HeadRow | undefined> {
  const keys = new SessionKeys(session)
  const [head] = await database.values([keys.head])
  if (head !== undefined) return decodeHead(keys.head, head, session)
  const range = { gte: keys.eventCopy(0), lte: keys.eventCopy(Number.MAX_SAFE_INTEGER) }
  if ((await database.rows(range, 1, { values: false })).length === 0) return undefined
  throw corruptRow({ row: 'head', session }, 'the row is missing although there are events')
}
