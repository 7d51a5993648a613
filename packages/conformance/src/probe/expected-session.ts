import assert from 'node:assert/strict'

import type { AppendOptions, Backend, EventRecord, Expected, Json } from '@turnlog/core/backend'

import type { Random } from '../context/random.ts'
import { listAll, readAll } from './collect.ts'
import { deepFreeze, makeEvents } from './make-events.ts'

export interface GrowOptions {
  readonly trimBefore?: number
  readonly projection?: Json
  readonly fields?: Readonly<Record<string, Json>>
}

/** A session that a case writes, with what a right backend must then say of it. */
export class ExpectedSession {
  readonly key: string
  readonly incarnation: string
  readonly #random: Random
  first = 1
  last = 0
  projection: Json = null
  #events: EventRecord[] = []

  constructor(
    random: Random,
    key: string = `session-${random.word(8)}`,
    incarnation = `incarnation-${random.word(12)}`,
  ) {
    this.#random = random
    this.key = key
    this.incarnation = incarnation
  }

  get expected(): Expected {
    return { last: this.last, incarnation: this.incarnation }
  }

  /** What can still be read. */
  get events(): readonly EventRecord[] {
    return this.#events
  }

  next(count: number, fields?: Readonly<Record<string, Json>>): EventRecord[] {
    return makeEvents(this.#random, this.last + 1, count, fields)
  }

  /** One append of `count` events. */
  async grow(backend: Pick<Backend, 'append'>, count: number, options: GrowOptions = {}): Promise<void> {
    const { trimBefore, fields, projection = { last: this.last + count } } = options
    const events = this.next(count, fields)
    await this.append(backend, events, projection, trimBefore === undefined ? undefined : { trimBefore })
  }

  async append(
    backend: Pick<Backend, 'append'>,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void> {
    await backend.append(this.key, this.expected, events, deepFreeze(projection), options)
    this.accept(events, projection, options)
  }

  /** Takes note of an append that a backend has accepted. */
  accept(events: readonly EventRecord[], projection: Json, options: AppendOptions = {}): void {
    if (this.last === 0) this.first = events[0]?.seq ?? 1
    this.last = events.at(-1)?.seq ?? this.last
    this.first = Math.max(this.first, options.trimBefore ?? 1)
    this.projection = projection
    this.#events = [...this.#events, ...events].filter(({ seq }) => seq >= this.first)
  }

  /** Asserts that the backend says exactly this, by `head`, by `read` and in `list`. */
  async check(backend: Backend): Promise<void> {
    const { key, last } = this
    await this.checkUnlisted(backend)
    const [listed] = await listAll(backend, { prefix: key, limit: 1 })
    if (last === 0) assert.notEqual(listed?.session, key, 'a session that does not exist is listed')
    else
      assert.deepEqual(listed, { session: key, ...(await backend.head(key)) }, 'what list says, beside what head says')
  }

  /** The same without `list`, for a case with so many sessions that it looks at the list once. */
  async checkUnlisted(backend: Backend): Promise<void> {
    const { key, first, last, incarnation, projection } = this
    const head = await backend.head(key)
    if (last === 0) {
      assert.deepEqual(head, undefined)
    } else {
      assert.ok(head !== undefined, `head(${JSON.stringify(key)}) gives a head`)
      const { bytes: _bytes, ...rest } = head
      assert.deepEqual(rest, { first, last, incarnation, projection })
    }
    assert.deepEqual(await readAll(backend, key), this.#events)
  }
}
