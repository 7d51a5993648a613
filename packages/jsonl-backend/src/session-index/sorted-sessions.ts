import { setImmediate } from 'node:timers/promises'
import { compareKeys } from '@turnlog/core/backend'
import { SingleFlight } from '@turnlog/storage-kit'
import type { Entry } from './entry.ts'
import { sessionOf } from './entry.ts'
import type { Listed } from './listed.ts'

/** Sessions that are named and sorted before other work has its turn: a few milliseconds. */
const AT_ONCE = 2000

/**
 * The sessions of an index in the byte order of their keys. Sorted by the first listing, in turns, because a hundred
 * thousand take half a second; later listings sort in what came and went.
 */
export class SortedSessions {
  readonly #entries: ReadonlyMap<string, Entry>
  #sorted: readonly Listed[] = []
  /** Names of sessions that came or went since. */
  #changed = new Set<string>()
  readonly #updating = new SingleFlight<void>()

  constructor(entries: ReadonlyMap<string, Entry>) {
    this.#entries = entries
  }

  /** A session came or went. */
  changed(name: string): void {
    this.#changed.add(name)
    const isGrown = this.#changed.size > 2 * (this.#entries.size + this.#sorted.length) + 1000
    // Without a listing, sessions that come and go would only become more. One that is under way must keep its own.
    if (!isGrown || this.#updating.running !== undefined) return
    this.#sorted = []
    this.#changed = new Set(this.#entries.keys())
  }

  /** Everything that is there when it is called; what changes while it sorts may be in it or not. */
  async list(): Promise<readonly Listed[]> {
    await this.#updating.running // it may have begun before the last change
    if (this.#changed.size > 0) await this.#updating.join(() => this.#update())
    return this.#sorted
  }

  async #update(): Promise<void> {
    const changed = this.#changed
    this.#changed = new Set()
    const sorted = this.#sorted.filter(({ name }) => !changed.has(name))
    let run: Listed[] = []
    for (const name of changed) {
      const entry = this.#entries.get(name)
      const session = entry === undefined ? undefined : sessionOf(name, entry)
      if (session !== undefined) run.push({ session, name })
      if (run.length < AT_ONCE) continue
      sorted.push(...run.sort(inOrder))
      run = []
      await setImmediate()
    }
    sorted.push(...run)
    // Most of it is sorted by now, so this does little more than merge.
    this.#sorted = sorted.sort(inOrder)
  }
}

function inOrder(a: Listed, b: Listed): number {
  return compareKeys(a.session, b.session)
}
