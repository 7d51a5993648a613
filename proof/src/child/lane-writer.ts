import type { SessionStore } from '@turnlog/core'
import { isStoreError } from '@turnlog/core'

import { idOf, messageOf } from '../model/message-of.ts'
import type { ProofMessage } from '../model/message-of.ts'
import type { Operation } from '../model/operation.ts'
import type { LogSight } from '../model/record.ts'
import type { Random } from '../random.ts'
import type { Journal } from './journal.ts'

/** Views are cut when they are longer, so that lives stay short and cheap. */
const LONG_VIEW = 150

interface View {
  readonly ids: readonly string[]
  readonly positions: readonly number[]
  readonly version: number
  readonly summary: string
  readonly counter: number
}

/** Writes to one session and its fork, one operation after the other, and journals each. */
export class LaneWriter {
  readonly key: string
  readonly forkKey: string
  readonly #store: SessionStore<ProofMessage>
  readonly #journal: Journal
  readonly #random: Random
  readonly #tag: string
  #calls = 0
  #messages = 0
  #forkExists = false
  /** A call failed and may have been recorded even so: look before the next one. */
  #isInDoubt = false
  /** Versions that `restore` may name: seen since the last compaction. */
  #versions: number[] = []

  constructor(key: string, store: SessionStore<ProofMessage>, journal: Journal, random: Random, tag: string) {
    this.key = key
    this.forkKey = `${key}/fork`
    this.#store = store
    this.#journal = journal
    this.#random = random
    this.#tag = `${tag}.${key}`
  }

  /** Looks at both sessions as a new process finds them. */
  async look(): Promise<void> {
    await this.#see(this.key, true)
    this.#forkExists = ((await this.#see(this.forkKey, true))?.version ?? 0) > 0
  }

  async append(): Promise<void> {
    if (!(await this.#isClear())) return
    const ids = this.#newIds(1)
    await this.#call(this.key, { kind: 'add', ids }, () => this.#store.addMessages(this.key, ids.map(messageOf)))
  }

  async step(): Promise<void> {
    if (!(await this.#isClear())) return undefined
    const { key } = this
    const store = this.#store
    const random = this.#random
    const choice = random.below(100)
    if (choice < 40) return this.#add(key, random.chance(0.8) ? random.between(1, 4) : random.between(5, 100))
    if (choice < 48) {
      await Promise.all(Array.from({ length: random.between(2, 6) }, () => this.#add(key, random.between(1, 3))))
      return
    }
    if (choice < 52) {
      const text = `summary ${this.#newIds(1)[0] ?? ''}`
      return this.#call(key, { kind: 'summary', text }, () => store.setSummary(key, text))
    }
    if (choice < 55) {
      const counter = random.below(1_000_000)
      return this.#call(key, { kind: 'metadata', counter }, () => store.setMetadata(key, { counter }))
    }
    if (choice < 57) return this.#call(key, { kind: 'note' }, () => store.note(key, 'usage', { tokens: choice }))
    const view = await this.#see(key, random.chance(0.1))
    if (view === undefined) return undefined
    if (view.ids.length > LONG_VIEW) {
      const count = random.between(0, 20)
      return this.#call(key, { kind: 'keepLast', count }, () => store.truncateHistory(key, count))
    }
    return this.#stepOn(view, choice)
  }

  /** Operations that refer to what is there. */
  async #stepOn(view: View, choice: number): Promise<void> {
    const { key } = this
    const store = this.#store
    const random = this.#random
    const { ids, positions, version } = view
    const index = random.below(ids.length)
    const id = ids[index]
    const position = positions[index]
    if (choice < 62) {
      const count = random.between(-1, ids.length + 1)
      return this.#call(key, { kind: 'keepLast', count }, () => store.truncateHistory(key, count))
    }
    if (choice < 72) {
      const changed = ids.filter(() => random.chance(0.8))
      if (random.chance(0.3)) changed.splice(random.below(changed.length + 1), 0, ...this.#newIds(1))
      changed.push(...this.#newIds(random.below(4)))
      return this.#call(key, { kind: 'history', ids: changed }, () => store.setHistory(key, changed.map(messageOf)))
    }
    if (choice < 77) {
      return this.#call(key, { kind: 'compact' }, async () => {
        await store.compact(key)
        this.#versions = []
      })
    }
    if (choice < 80 && this.#versions.length > 0) {
      const at = random.pick(this.#versions)
      return this.#call(key, { kind: 'restore', at }, () => store.restore(key, { at }))
    }
    if (choice < 82) {
      this.#versions = []
      const erase = random.chance(0.5)
      return this.#call(key, { kind: 'delete', erase }, async () => {
        await store.deleteSession(key, { erase })
      })
    }
    if (choice < 85) return this.#forkOrExpire(view)
    if (id === undefined || position === undefined) return this.#add(key, 1)
    if (choice < 90) {
      return this.#call(key, { kind: 'cutBefore', id }, () => store.truncateHistory(key, { before: position }))
    }
    if (choice < 95) {
      const text = `summary through ${id}`
      const request = { summary: text, through: position, version }
      return this.#call(key, { kind: 'summarize', text, through: id }, () => store.summarize(key, request))
    }
    const added = this.#newIds(random.below(4))
    const op: Operation = { kind: 'replaceFrom', id, ids: added }
    return this.#call(key, op, () => store.replaceFrom(key, position, added.map(messageOf)))
  }

  async #forkOrExpire({ version, ids, summary, counter }: View): Promise<void> {
    const store = this.#store
    const key = this.forkKey
    if (this.#forkExists) {
      this.#forkExists = false
      await this.#call(key, { kind: 'delete', erase: false }, async () => {
        // Clocks may not have moved since the fork: then it is not idle yet, and deleted by hand.
        const { sessions } = await store.expire({ idleForMs: 0, prefix: key })
        if (sessions === 0) await store.deleteSession(key)
      })
    } else if (version > 0) {
      this.#forkExists = true
      await this.#call(key, { kind: 'fork', ids, summary, counter }, () => store.fork(this.key, key))
    }
  }

  #add(key: string, count: number): Promise<void> {
    const ids = this.#newIds(count)
    return this.#call(key, { kind: 'add', ids }, () => this.#store.addMessages(key, ids.map(messageOf)))
  }

  async #call(key: string, op: Operation, run: () => Promise<{ readonly version: number } | void>): Promise<void> {
    const n = this.#calls++
    this.#journal.write({ t: 'begin', key, n, op })
    try {
      const result = await run()
      this.#journal.write({ t: 'done', key, n, ...(result === undefined ? {} : { version: result.version }) })
    } catch (error) {
      if (op.kind === 'compact' || op.kind === 'restore') this.#versions = []
      const failure = errorOf(error)
      if (failure.code === 'IO' || failure.code === 'OUTCOME_UNKNOWN') this.#isInDoubt = true
      this.#journal.write({ t: 'failed', key, n, ...failure })
    }
  }

  /** Doubts must not pile up: what the store says now is what it has to stand by. */
  async #isClear(): Promise<boolean> {
    if (!this.#isInDoubt) return true
    const view = await this.#see(this.key, false)
    const fork = await this.#see(this.forkKey, false)
    if (view === undefined || fork === undefined) return false
    this.#forkExists = fork.version > 0
    this.#isInDoubt = false
    return true
  }

  async #see(key: string, withLog: boolean): Promise<View | undefined> {
    try {
      const { version, summary, metadata, messages, positions } = await this.#store.load(key)
      const ids = messages.map(idOf)
      const counter = typeof metadata['counter'] === 'number' ? metadata['counter'] : 0
      const log = withLog && version > 0 ? await this.#readLog(key) : undefined
      this.#journal.write({
        t: 'saw',
        key,
        sight: { version, summary, counter, ids },
        ...(log === undefined ? {} : { log }),
      })
      if (key === this.key && version > 0) this.#versions.push(version)
      return { ids, positions, version, summary, counter }
    } catch (error) {
      this.#journal.write({ t: 'blind', key, ...errorOf(error) })
      return undefined
    }
  }

  async #readLog(key: string): Promise<LogSight> {
    const added: [number, string][] = []
    let first = 0
    let last = 0
    let contiguous = true
    for await (const event of this.#store.events(key)) {
      if (first === 0) first = event.seq
      else if (event.seq !== last + 1) contiguous = false
      last = event.seq
      if (event.type === 'MessageAdded') added.push([event.seq, idOf((event as { message?: unknown }).message)])
    }
    return { first, last, contiguous, added }
  }

  #newIds(count: number): string[] {
    return Array.from({ length: count }, () => `${this.#tag}.${this.#messages++}`)
  }
}

export function errorOf(error: unknown): { code: string; message: string } {
  if (isStoreError(error)) return { code: error.code, message: error.message.slice(0, 300) }
  return { code: 'untyped', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
