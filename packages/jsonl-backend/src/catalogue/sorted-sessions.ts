import { setImmediate } from 'node:timers/promises'
import { compareKeys } from '@turnlog/core/backend'
import type { Entry } from './entry.ts'
import { sessionOf } from './entry.ts'
import type { Listed } from './listed.ts'

/** Sessions that are sorted or merged before others have their turn: a few milliseconds. */
const AT_ONCE = 2000

/**
 * The sessions of a catalogue in the byte order of their keys. Sorted when somebody asks, in turns, because a hundred
 * thousand take half a second; afterwards only what came and went is sorted in.
 */
export class SortedSessions {
  readonly #entries: ReadonlyMap<string, Entry>
  #sorted: readonly Listed[] = []
  /** Names of sessions that came or went since. */
  #changed = new Set<string>()
  #updating: Promise<void> | undefined

  constructor(entries: ReadonlyMap<string, Entry>) {
    this.#entries = entries
  }

  /** A session came or went. */
  changed(name: string): void {
    this.#changed.add(name)
    const isGrown = this.#changed.size > 2 * (this.#entries.size + this.#sorted.length) + 1000
    // What is being sorted now may have a name that has gone since, and must lose it next time.
    if (isGrown && this.#updating === undefined) this.#forgetPassing()
  }

  /** Everything that is there when it is called; what changes while it sorts may be in it or not. */
  async list(): Promise<readonly Listed[]> {
    await this.#updating // it may have begun before the last change
    if (this.#changed.size > 0) {
      this.#updating ??= this.#update().finally(() => {
        this.#updating = undefined
      })
      await this.#updating
    }
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
    const runs: (readonly Listed[])[] = []
    let run: Listed[] = []
    for (const name of changed) {
      const entry = this.#entries.get(name)
      const session = entry === undefined ? undefined : sessionOf(name, entry)
      if (session !== undefined) run.push({ session, name })
      if (run.length < AT_ONCE) continue
      runs.push(run.sort(inOrder))
      run = []
      await setImmediate()
    }
    runs.push(run.sort(inOrder))
    while (runs.length > 1) {
      runs.push(await merge(runs.shift() ?? [], runs.shift() ?? []))
      await setImmediate()
    }
    const kept = this.#sorted.filter(({ name }) => !changed.has(name))
    this.#sorted = await merge(kept, runs[0] ?? [])
  }
}

async function merge(a: readonly Listed[], b: readonly Listed[]): Promise<readonly Listed[]> {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  const merged: Listed[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const one = a[i]
    const other = b[j]
    const isOne = other === undefined || (one !== undefined && inOrder(one, other) < 0)
    merged.push((isOne ? one : other) as Listed)
    if (isOne) i += 1
    else j += 1
    if (merged.length % (5 * AT_ONCE) === 0) await setImmediate() // a step costs less here
  }
  return merged
}

function inOrder(a: Listed, b: Listed): number {
  return compareKeys(a.session, b.session)
}
