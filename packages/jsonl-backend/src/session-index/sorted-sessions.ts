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
    // A list that is being sorted now may hold a name that is gone, and must drop it next time.
    if (isGrown && this.#updating.running === undefined) this.#forgetPassing()
  }

  /** Everything that is there when it is called; what changes while it sorts may be in it or not. */
  async list(): Promise<readonly Listed[]> {
    await this.#updating.running // it may have begun before the last change
    if (this.#changed.size > 0) await this.#updating.join(() => this.#update())
    return this.#sorted
  }

  /** Sessions that came and went since the last list: without one, they would only become more. */
  #forgetPassing(): void {
    const sorted = new Set(this.#sorted.map(({ name }) => name))
    for (const name of this.#changed) {
      if (!this.#entries.has(name) && !sorted.has(name)) this.#changed.delete(name)
    }
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
