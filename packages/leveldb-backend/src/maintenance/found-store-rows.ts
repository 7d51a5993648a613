import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { isStoreError } from '@turnlog/core/backend'
import type { Problem } from '@turnlog/core/backend'

import { Watermark } from '../open/watermark.ts'
import { WATERMARK_FILE } from '../files/store-place.ts'
import { COUNTER_KEY, decodeCounter, decodeIdentity, IDENTITY_KEY } from '../format/store-rows.ts'
import type { Counter } from '../format/store-rows.ts'

interface Compared {
  readonly storeId: string
  readonly counter: Counter
  /** Nothing is known to have been written after the counter. */
  readonly isNewest: boolean
}

/** The rows that every store has, as far as they are whole in a damaged one. */
export class FoundStoreRows {
  readonly #directory: string
  #storeId: string | undefined
  #identitySequence = -1
  #counter: Counter | undefined

  constructor(directory: string) {
    this.#directory = directory
  }

  /** @throws `UNSUPPORTED` */
  see(key: Buffer, sequence: number, value: Buffer): void {
    if (key.equals(COUNTER_KEY)) {
      const counter = unlessCorrupt(() => decodeCounter(value))
      if (counter !== undefined && counter.batches >= (this.#counter?.batches ?? 0)) this.#counter = counter
    } else if (key.equals(IDENTITY_KEY) && sequence > this.#identitySequence) {
      this.#storeId = unlessCorrupt(() => decodeIdentity(value, this.#directory)) ?? this.#storeId
      this.#identitySequence = sequence
    }
  }

  /** Says what is wrong with them and with the watermark, and gives what is to be used. @throws `UNSUPPORTED`, `IO` */
  compareWithWatermark(onAction: (action: Problem) => void): Compared {
    const file = join(this.#directory, WATERMARK_FILE)
    const watermark = unlessCorrupt(() => Watermark.read(this.#directory))
    const storeId = this.#storeId
    const counter = this.#counter ?? { batches: 0, sessions: 0 }
    const isBehind = watermark !== undefined && watermark.batches > counter.batches
    if (watermark === undefined) {
      const message =
        'The watermark is missing or damaged and is made anew: whether the last appends are lost cannot be told.'
      onAction({ message, file })
    } else if (storeId !== undefined && watermark.storeId !== storeId) {
      onAction({ message: 'The watermark belongs to another store and is made anew.', file })
    } else if (isBehind) {
      const message = `Recovered up to batch ${counter.batches} of ${watermark.batches}; later writes may be missing.`
      onAction({ message, file })
    }
    if (storeId === undefined) onAction({ message: 'The row with the identity of the store is lost and made anew.' })
    if (this.#counter === undefined) onAction({ message: 'The row that counts batches is lost and made anew.' })
    return {
      storeId: storeId ?? watermark?.storeId ?? randomBytes(16).toString('hex'),
      counter,
      isNewest: this.#counter !== undefined && !isBehind,
    }
  }
}

function unlessCorrupt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (isStoreError(error, 'CORRUPT')) return undefined
    throw error
  }
}
