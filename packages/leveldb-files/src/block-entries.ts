/**
 * Goes through the entries of a block of a table: `[shared][own][value length][own part of the key][value]`, where
 * `shared` bytes are those of the key before. It makes nothing for an entry unless it is asked to: the index of one
 * table has thousands, and opening a store reads them all.
 */
export class BlockEntries {
  /** The block ended in the middle of an entry, or is no block. */
  isDamaged = false
  valueStart = 0
  valueEnd = 0
  readonly #block: Buffer
  readonly #end: number
  #at = 0
  #shared = 0
  #ownStart = 0
  #key: Buffer = Buffer.alloc(0)

  constructor(block: Buffer) {
    this.#block = block
    // Behind the entries: where every few of them a whole key begins, and how many such places there are.
    this.#end = block.length < 4 ? -1 : block.length - 4 * (block.readUInt32LE(block.length - 4) + 1)
    if (this.#end < 0) this.isDamaged = true
  }

  /** `false` at the end, or where the block is damaged. */
  next(): boolean {
    if (this.isDamaged || this.#at >= this.#end) return false
    this.#shared = this.#number()
    const own = this.#number()
    const value = this.#number()
    this.#ownStart = this.#at
    this.valueStart = this.#at + own
    this.valueEnd = this.valueStart + value
    this.#at = this.valueEnd
    if (this.valueEnd > this.#end) this.isDamaged = true
    return !this.isDamaged
  }

  /** The key of this entry, as LevelDB stores it. To be asked of every entry or of none: each builds on the one before. */
  key(): Buffer {
    const own = this.#block.subarray(this.#ownStart, this.valueStart)
    this.#key = this.#shared === 0 ? own : Buffer.concat([this.#key.subarray(0, this.#shared), own])
    return this.#key
  }

  value(): Buffer {
    return this.#block.subarray(this.valueStart, this.valueEnd)
  }

  /** The handle of another block, in the value of this entry: where it begins, and its size. */
  handle(): { readonly offset: number; readonly bytes: number } {
    const next = this.#at
    this.#at = this.valueStart
    const offset = this.#number()
    const bytes = this.#number()
    if (this.#at > this.valueEnd) this.isDamaged = true
    this.#at = next
    return { offset, bytes }
  }

  /** A varint. Damage is noted and gives 0. */
  #number(): number {
    let value = 0
    let factor = 1
    for (const last = Math.min(this.#at + 10, this.#block.length); this.#at < last;) {
      const byte = this.#block[this.#at] as number
      this.#at++
      value += (byte & 0x7f) * factor
      if (byte < 0x80) {
        if (Number.isSafeInteger(value)) return value
        break
      }
      factor *= 128
    }
    this.isDamaged = true
    return 0
  }
}
