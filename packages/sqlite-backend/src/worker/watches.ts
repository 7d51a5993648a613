import type { SqliteStore } from '../open/sqlite-store.ts'

/** After so many looks that found nothing it is looked more seldom. */
const MAX_QUIET_LOOKS = 100
const QUIET_FACTOR = 10

/** Looks whether watched sessions were written to, here or elsewhere. */
export class Watches {
  readonly #store: SqliteStore
  readonly #pollMs: number
  readonly #onChange: (session: string) => void
  /** How many watch each session, and how it looked last. */
  readonly #watched = new Map<string, { watchers: number; seen: string }>()
  #timer: NodeJS.Timeout | undefined
  #version: number | undefined
  #quietLooks = 0

  constructor(store: SqliteStore, pollMs: number, onChange: (session: string) => void) {
    this.#store = store
    this.#pollMs = pollMs
    this.#onChange = onChange
  }

  add(session: string): void {
    const known = this.#watched.get(session)
    if (known === undefined) this.#watched.set(session, { watchers: 1, seen: this.#look(session) })
    else known.watchers++
    this.#quietLooks = 0
    this.#timer ??= this.#schedule()
  }

  remove(session: string): void {
    const known = this.#watched.get(session)
    if (known === undefined) return
    known.watchers--
    if (known.watchers === 0) this.#watched.delete(session)
  }

  close(): void {
    this.#watched.clear()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): NodeJS.Timeout {
    const factor = this.#quietLooks > MAX_QUIET_LOOKS ? QUIET_FACTOR : 1
    return setTimeout(() => this.#poll(), this.#pollMs * factor).unref()
  }

  #poll(): void {
    this.#timer = undefined
    if (this.#watched.size === 0) return
    this.#quietLooks++
    try {
      this.#tellChanges()
    } catch {
      // A hint less; whoever reads is told what is wrong.
    }
    this.#timer = this.#schedule()
  }

  #tellChanges(): void {
    const { data_version: version } =
      this.#store.database.get<{ data_version: number }>('PRAGMA data_version') ?? ({} as { data_version?: number })
    if (version === this.#version) return
    this.#version = version
    for (const [session, watched] of this.#watched) {
      const seen = this.#look(session)
      if (seen === watched.seen) continue
      watched.seen = seen
      this.#quietLooks = 0
      this.#onChange(session)
    }
  }

  /** Not its checksum: damage is for those who read. */
  #look(session: string): string {
    const { database, tables } = this.#store
    const row = database.get<{ id: number; last: number }>(
      `SELECT id, last FROM ${tables.sessions} WHERE key = ?`,
      session,
    )
    return `${row?.id} ${row?.last}`
  }
}
