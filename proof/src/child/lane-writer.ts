import type { Random } from '@turnlog/conformance/random'
import type { SessionStore } from '@turnlog/core'
import { isStoreError } from '@turnlog/core'

import { idOf } from '../model/message-of.ts'
import type { ProofMessage } from '../model/message-of.ts'
import type { Operation, Place, Retry } from '../model/operation.ts'
import type { BeginRecord, LogSight } from '../model/record.ts'
import type { Journal } from './journal.ts'
import { perform, takesOperationId } from './perform.ts'

/** Views are cut when they are longer, so that lives stay short and cheap. */
const LONG_VIEW = 80

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
  #isOutcomeUnknown = false
  #isLost = false
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

  /** It is damaged: nothing that is done to it tells anything any more. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Looks at both sessions as a new process finds them. */
  async look(withLog: boolean): Promise<void> {
    await this.#see(this.key, withLog)
    this.#forkExists = ((await this.#see(this.forkKey, withLog))?.version ?? 0) > 0
  }

  /** Makes the calls again that the life before made and that nobody answered, just as it made them. */
  async retry(retries: readonly Retry[]): Promise<void> {
    for (const key of [this.key, this.forkKey]) {
      const own = retries.filter((retry) => retry.key === key)
      await Promise.all(own.map(({ op, place, id }, again) => this.#send({ key, op, place, id, again })))
    }
  }

  async append(): Promise<void> {
    if (await this.#isClear()) await this.#add(1)
  }

  /** One call at a time, so that the journal knows every version that there ever was. */
  async calmStep(): Promise<void> {
    const random = this.#random
    const choice = random.below(20)
    if (choice > 0) return this.#add(random.chance(0.8) ? random.integer(1, 5) : random.integer(6, 100))
    const view = await this.#see(this.key, false)
    if (view === undefined || view.ids.length < 200) return undefined
    // What is cut off is then removed from the file, which is written anew under the eyes of the reader.
    await this.#call({ kind: 'keepLast', count: 20 })
    await this.#call({ kind: 'compact' })
    await this.#see(this.key, false)
  }

  async step(): Promise<void> {
    if (!(await this.#isClear())) return undefined
    const random = this.#random
    const choice = random.below(100)
    if (choice < 40) return this.#add(random.chance(0.8) ? random.integer(1, 4) : random.integer(5, 100))
    if (choice < 48) {
      await Promise.all(Array.from({ length: random.integer(2, 6) }, () => this.#add(random.integer(1, 3))))
      return
    }
    if (choice < 52) return this.#call({ kind: 'summary', text: `summary ${this.#newIds(1)[0] ?? ''}` })
    if (choice < 55) return this.#call({ kind: 'metadata', counter: random.below(1_000_000) })
    if (choice < 57) return this.#call({ kind: 'note' })
    const view = await this.#see(this.key, random.chance(0.1))
    if (view === undefined) return undefined
    if (view.ids.length > LONG_VIEW) return this.#call({ kind: 'keepLast', count: random.integer(0, 20) })
    return this.#stepOn(view, choice)
  }

  /** Operations that refer to what is there. */
  async #stepOn(view: View, choice: number): Promise<void> {
    const random = this.#random
    const { ids, positions, version } = view
    const index = random.below(ids.length)
    const id = ids[index]
    const position = positions[index]
    if (choice < 62) return this.#call({ kind: 'keepLast', count: random.integer(-1, ids.length + 1) })
    if (choice < 72) {
      const changed = ids.filter(() => random.chance(0.8))
      if (random.chance(0.3)) changed.splice(random.below(changed.length + 1), 0, ...this.#newIds(1))
      changed.push(...this.#newIds(random.below(4)))
      return this.#call({ kind: 'history', ids: changed })
    }
    if (choice < 77) {
      this.#versions = []
      return this.#call({ kind: 'compact' })
    }
    if (choice < 80 && this.#versions.length > 0) {
      return this.#call({ kind: 'restore', at: random.pick(this.#versions) })
    }
    if (choice < 82) {
      this.#versions = []
      return this.#call({ kind: 'delete', erase: random.chance(0.5), expire: false })
    }
    if (choice < 85) return this.#forkOrExpire(view)
    if (id === undefined || position === undefined) return this.#add(1)
    if (choice < 90) return this.#call({ kind: 'cutBefore', id }, { position })
    if (choice < 95) {
      return this.#call({ kind: 'summarize', text: `summary through ${id}`, through: id }, { position, version })
    }
    return this.#call({ kind: 'replaceFrom', id, ids: this.#newIds(random.below(4)) }, { position })
  }

  async #forkOrExpire({ version, ids, summary, counter }: View): Promise<void> {
    const key = this.forkKey
    if (this.#forkExists) {
      this.#forkExists = false
      await this.#send({ key, op: { kind: 'delete', erase: false, expire: true }, place: {} })
    } else if (version > 0) {
      this.#forkExists = true
      await this.#send({ key, op: { kind: 'fork', from: this.key, ids, summary, counter }, place: {} })
    }
  }

  #add(count: number): Promise<void> {
    return this.#call({ kind: 'add', ids: this.#newIds(count) })
  }

  #call(op: Operation, place: Place = {}): Promise<void> {
    // Some without an id, as most callers do.
    const hasId = takesOperationId(op) && this.#calls % 4 !== 3
    return this.#send({ key: this.key, op, place, ...(hasId ? { id: `${this.#tag}.${this.#calls}` } : {}) })
  }

  async #send({ key, op, place, id, again }: Omit<BeginRecord, 't' | 'n'> & { readonly place: Place }): Promise<void> {
    const n = this.#calls++
    this.#journal.write({
      t: 'begin',
      key,
      n,
      op,
      place,
      ...(id === undefined ? {} : { id }),
      ...(again === undefined ? {} : { again }),
    })
    try {
      const result = await perform(this.#store, key, op, place, id === undefined ? {} : { operationId: id })
      this.#journal.write({ t: 'done', key, n, ...(result === undefined ? {} : { version: result.version }) })
    } catch (error) {
      if (op.kind === 'restore') this.#versions = []
      const failure = errorOf(error)
      if (['IO', 'OUTCOME_UNKNOWN', 'untyped'].includes(failure.code)) this.#isOutcomeUnknown = true
      this.#journal.write({ t: 'failed', key, n, ...failure })
    }
  }

  /** Doubts must not pile up: what the store says now is what it has to stand by. */
  async #isClear(): Promise<boolean> {
    if (!this.#isOutcomeUnknown) return true
    const view = await this.#see(this.key, false)
    const fork = await this.#see(this.forkKey, false)
    if (view === undefined || fork === undefined) return false
    this.#forkExists = fork.version > 0
    this.#isOutcomeUnknown = false
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
      const failure = errorOf(error)
      this.#isLost ||= failure.code === 'CORRUPT'
      this.#journal.write({ t: 'blind', key, ...failure })
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
  if (isStoreError(error)) {
    const { cause } = error
    const why = cause instanceof Error && !error.message.includes(cause.message) ? ` (${cause.message})` : ''
    return { code: error.code, message: error.message.slice(0, 300) + why.slice(0, 300) }
  }
  return { code: 'untyped', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
