import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { StoreError } from '@turnlog/core/backend'

import { readUint64, writeUint64 } from '../format/row-keys.ts'
import { WATERMARK_FILE } from '../files/store-place.ts'

/** `[magic, 8][store id, 32][batches, 8][mode, 1][zero, 11][crc32 of all before, 4]` */
const SLOT_BYTES = 64
const MAGIC = 'TLANCHR1'
/** Two slots in two sectors: a torn write can spoil one of them, never both. */
const SLOT_OFFSETS = [0, 512] as const
const FILE_BYTES = 1024

/** By the byte that stands for them. */
const MODES = [undefined, 'sync', 'os'] as const

export interface WatermarkState {
  readonly storeId: string
  readonly batches: number
  readonly durability: 'sync' | 'os'
}

/**
 * How far the store had come, kept outside LevelDB: LevelDB cannot tell a log that lost its last records from one that
 * never had them. Written without a sync after each batch and before its acknowledgement, which costs 2 microseconds in
 * warm caches and 20 for a caller alone; so it can be behind the store after a power failure, but ahead of it only if the
 * store lost something.
 */
export class Watermark {
  readonly #descriptor: number
  readonly #slot = Buffer.alloc(SLOT_BYTES)

  private constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  static create(directory: string, state: WatermarkState): Watermark {
    const watermark = new Watermark(openSync(join(directory, WATERMARK_FILE), 'w+', 0o600))
    writeSync(watermark.#descriptor, Buffer.alloc(FILE_BYTES), 0, FILE_BYTES, 0)
    watermark.reset(state)
    return watermark
  }

  static open(directory: string): Watermark {
    return new Watermark(openSync(join(directory, WATERMARK_FILE), 'r+'))
  }

  /** @throws `CORRUPT` if it is missing or neither slot is whole, `UNSUPPORTED` if a whole one is of a newer format */
  static read(directory: string): WatermarkState {
    const file = join(directory, WATERMARK_FILE)
    const bytes = Buffer.alloc(FILE_BYTES)
    try {
      const descriptor = openSync(file, 'r')
      try {
        readSync(descriptor, bytes, 0, FILE_BYTES, 0)
      } finally {
        closeSync(descriptor)
      }
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      throw new StoreError(
        isMissing ? 'CORRUPT' : 'IO',
        isMissing
          ? `The file ${file} is missing: it was deleted, or the LevelDB database next to it is not Turnlog's. Without it lost appends cannot be noticed. Restore it, or run repair to accept what is there.`
          : `Cannot read ${file}. See the cause.`,
        { file, cause: error },
      )
    }
    const slots = SLOT_OFFSETS.map((offset) => parseSlot(bytes.subarray(offset, offset + SLOT_BYTES), file))
    const [one, two] = slots
    const newest = one !== undefined && (two === undefined || one.batches > two.batches) ? one : two
    if (newest === undefined) {
      throw new StoreError('CORRUPT', `The file ${file} is damaged. Run repair to accept what is in the store.`, {
        file,
      })
    }
    return newest
  }

  /** After `reset`, which fills in what stays the same. */
  write(batches: number): void {
    this.#writeSlot(batches, SLOT_OFFSETS[batches % 2] ?? 0)
  }

  #writeSlot(batches: number, offset: number): void {
    const slot = this.#slot
    writeUint64(slot, batches, 40)
    slot.writeUInt32BE(crc32(slot.subarray(0, SLOT_BYTES - 4)), SLOT_BYTES - 4)
    writeSync(this.#descriptor, slot, 0, SLOT_BYTES, offset)
  }

  /** Both slots, one after the other: the store may have come less far than one of them says, and that is accepted. */
  reset({ storeId, batches, durability }: WatermarkState): void {
    this.#slot.write(MAGIC, 0, 'latin1')
    this.#slot.write(storeId, 8, 32, 'latin1')
    this.#slot[48] = MODES.indexOf(durability)
    for (const offset of SLOT_OFFSETS) {
      this.#writeSlot(batches, offset)
      this.sync()
    }
  }

  sync(): void {
    fsyncSync(this.#descriptor)
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function parseSlot(slot: Buffer, file: string): WatermarkState | undefined {
  if (slot.readUInt32BE(SLOT_BYTES - 4) !== crc32(slot.subarray(0, SLOT_BYTES - 4))) return undefined
  const durability = MODES[slot[48] ?? 0]
  if (slot.toString('latin1', 0, 8) !== MAGIC || durability === undefined) {
    throw new StoreError(
      'UNSUPPORTED',
      `The file ${file} is whole, but not of the format that this version reads. Use a newer version of @turnlog/leveldb-backend.`,
      { file },
    )
  }
  return { storeId: slot.toString('latin1', 8, 40), batches: readUint64(slot, 40), durability }
}
