import { expect, test } from 'vitest'

import { CommitPace } from '../src/commit-pace.ts'

/** Callers that ask again as soon as they are answered, as the event loop and a disk of these speeds would see them. */
class Load {
  readonly #pace: CommitPace
  readonly #askMs: number
  #now = 0
  #active = 0
  /** What the disk takes for a batch. */
  writeMs: number
  waiting = 0

  constructor(askMs: number, writeMs: number) {
    this.#pace = new CommitPace({ now: () => this.#now, active: () => this.#active })
    this.#askMs = askMs
    this.writeMs = writeMs
  }

  ask(callers: number): void {
    for (let caller = 0; caller < callers; caller += 1) this.#pace.ask()
    this.waiting += callers
    this.#now += callers * this.#askMs
    this.#active += callers * this.#askMs
  }

  /** One batch. Those whom the one before it answered ask while it is written, unless it waits for them. */
  batch(answered: number, joins: boolean): { readonly size: number; readonly joins: boolean } {
    if (joins) this.ask(answered)
    const size = this.#pace.begin(this.waiting)
    this.waiting -= size
    const begin = this.#now
    if (!joins) this.ask(answered)
    this.#now = Math.max(this.#now, begin + this.writeMs)
    return { size, joins: this.#pace.end(size, this.waiting) || this.waiting === 0 }
  }

  /** The sizes of some batches. */
  run(batches: number, first: { readonly size: number; readonly joins: boolean }): number[] {
    let last = first
    return Array.from({ length: batches }, () => {
      last = this.batch(last.size, last.joins)
      return last.size
    })
  }
}

test('callers are written in two halves where the event loop is slower than the disk', () => {
  const load = new Load(0.03, 0.5)
  const sizes = load.run(20, { size: 64, joins: true })
  expect(sizes.slice(-10)).toEqual(Array(10).fill(32))
})

test('callers are written all at once where the disk is slower', () => {
  const load = new Load(0.03, 10)
  expect(load.run(20, { size: 64, joins: true })).toEqual(Array(20).fill(64))
})

test('halves come together again when the disk becomes slow, and part when it becomes fast', () => {
  const load = new Load(0.03, 0.5)
  expect(load.run(10, { size: 64, joins: true }).at(-1)).toBe(32)
  load.writeMs = 10
  expect(load.run(10, { size: 32, joins: false }).at(-1)).toBe(64)
  load.writeMs = 0.5
  expect(load.run(10, { size: 64, joins: true }).at(-1)).toBe(32)
})

test('a single slow write does not bring the halves together', () => {
  const load = new Load(0.03, 0.5)
  load.run(10, { size: 64, joins: true })
  load.writeMs = 20
  expect(load.run(1, { size: 32, joins: false })).toEqual([32])
  load.writeMs = 0.5
  expect(load.run(6, { size: 32, joins: false })).toEqual(Array(6).fill(32))
})

test('a few callers are never parted', () => {
  const load = new Load(1, 0.5)
  expect(load.run(10, { size: 8, joins: true })).toEqual(Array(10).fill(8))
})
