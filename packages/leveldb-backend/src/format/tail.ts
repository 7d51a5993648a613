import { giveBack, takeBuffer } from '@turnlog/storage-kit'

import type { EventRow } from './event-row.ts'
import { HEADER_BYTES } from './row-value.ts'

const FIRST_BYTES = 8 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * The events behind a session's last segment, encoded and waiting to be sealed into the next.
 *
 * Successive tails share one store and each ends at its own `length`, so an append adds to it without copying what is
 * there; a plan that is given up has written behind the end.
 */
export interface Tail {
  readonly store: PayloadStore
  readonly length: number
  /** Of all payloads. */
  readonly bytes: number
}

/** `likelyBytes` is what it may become. */
export function emptyTail(likelyBytes: number = FIRST_BYTES): Tail {
  return { store: new PayloadStore(likelyBytes), length: 0, bytes: 0 }
}

export function tailOf(rows: readonly EventRow[]): Tail {
  return rows.reduce(addToTail, emptyTail())
}

export function addToTail({ store, length, bytes }: Tail, row: EventRow): Tail {
  return { store, length: length + 1, bytes: store.write(length, bytes, row) }
}

/** The tail behind the segment that this one will be, and about as long. */
export function tailAfter({ bytes }: Tail): Tail {
  return emptyTail(bytes)
}

/** The rows that it was made of; `first` is the seq of the first one. */
export function rowsOf({ store, length }: Tail, first: number): readonly EventRow[] {
  const rows: EventRow[] = []
  let start = 0
  for (let index = 0; index < length; index++) {
    const value = Buffer.allocUnsafe(HEADER_BYTES + store.lengthOf(index))
    store.copy(value, HEADER_BYTES, start)
    start += store.lengthOf(index)
    rows.push({ seq: first + index, json: store.isJson(index), value })
  }
  return rows
}

/**
 * Payloads one behind the other, as they will be in the segment. With a buffer and an object for each, those
 * survived the collections of young garbage and died old.
 */
export class PayloadStore {
  #bytes: Buffer = NOTHING
  readonly #firstBytes: number
  /** The length of each, negative if it is JSON text. None is empty. */
  readonly #lengths: number[] = []

  /** Takes no memory to speak of before something is written. */
  constructor(firstBytes: number) {
    this.#firstBytes = firstBytes
  }

  get capacity(): number {
    return this.#bytes.length
  }

  /** @returns where it ends */
  write(index: number, start: number, { json, value }: EventRow): number {
    const length = value.length - HEADER_BYTES
    const end = start + length
    if (end > this.#bytes.length) this.#grow(start, end)
    value.copy(this.#bytes, start, HEADER_BYTES)
    this.#lengths[index] = json ? -length : length
    return end
  }

  lengthOf(index: number): number {
    return Math.abs(this.#lengths[index] ?? 0)
  }

  isJson(index: number): boolean {
    return (this.#lengths[index] ?? 0) < 0
  }

  /** As many bytes from `start` on as there is room for behind `at`. */
  copy(target: Buffer, at: number, start: number): void {
    this.#bytes.copy(target, at, start, start + target.length - at)
  }

  /** Everything in it is written, and no tail that ends in it will be used any more. */
  release(): void {
    giveBack(this.#bytes)
    this.#bytes = NOTHING
    this.#lengths.length = 0
  }

  #grow(used: number, needed: number): void {
    const smaller = this.#bytes
    this.#bytes = takeBuffer(Math.max(needed, this.#firstBytes, 2 * smaller.length))
    smaller.copy(this.#bytes, 0, 0, used)
    giveBack(smaller)
  }
}
