import { closeSync, fstatSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { parseLog } from './files/log-file.ts'
import { cutFile } from './files/set-aside.ts'
import { listStoreFiles, logName } from './files/store-files.ts'

const KIB = 1024
const ZEROS_BYTES = 256 * KIB
/** Not for larger ones: to write the zeros, too, would cost as much as it saves. */
const BATCH_MOST = 16 * KIB
/** About what LevelDB writes for a batch: keys and headers come to what is counted, most of all for small messages. */
const BATCH_EXTRA = 256
const BATCH_SHARE = 1.25
/** Looked at before more zeros are written: so many may be left. Any batch that gets zeros fits into them. */
const LEFT_BYTES = 32 * KIB

/**
 * Zeros ahead of LevelDB's log. To sync a file that grows, the file system also commits its journal; a log that is
 * written over zeros has its size already, and a sync takes two thirds of the time. LevelDB passes over zeros at the end
 * of a log, and so does `parseLog`.
 *
 * It all is a matter of speed: whatever fails here, the log just grows.
 */
export class LogRunway {
  readonly #directory: string
  readonly #zeros: Buffer
  #descriptor: number | undefined
  #isOff = false
  /** Where the zeros end. */
  #end = 0
  /** About where the log is: what LevelDB adds to a batch is not known exactly. */
  #position = 0

  /** Never longer than a quarter of a log, which is as long as a write buffer. */
  constructor(directory: string, writeBufferBytes: number) {
    this.#directory = directory
    this.#zeros = Buffer.alloc(Math.min(ZEROS_BYTES, Math.floor(writeBufferBytes / 4)))
  }

  /** Before a batch of so many bytes. No other may be under way: behind the end of the file nobody writes then. */
  prepare(bytes: number): void {
    const needed = bytes * BATCH_SHARE + BATCH_EXTRA
    this.#position += needed
    if (this.#isOff || bytes > BATCH_MOST || this.#position <= this.#end) return
    try {
      this.#lengthen(needed)
    } catch {
      // The disk is full, or worse. The write that follows will tell, or manage without.
      this.leave()
      this.#isOff = true
    }
  }

  /** Before LevelDB is closed, and its logs are cut or deleted. */
  leave(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#isOff = false
    this.#position = 0
    this.#end = 0
  }

  /** After LevelDB has been closed in order: what nobody has written over goes. */
  cut(): void {
    this.leave()
    try {
      this.#cutZeros()
    } catch {
      // They stay, and cost some disk until the next opening.
    }
  }

  #cutZeros(): void {
    for (const number of listStoreFiles(this.#directory).logs) {
      const file = join(this.#directory, logName(number))
      const bytes = readFileSync(file)
      const { end, rest } = parseLog(bytes)
      if (rest === 'nothing' && end < bytes.length) cutFile(file, end)
    }
  }

  #lengthen(needed: number): void {
    const { descriptor, size } = this.#openLog()
    const left = this.#end === size && this.#hasZeros(descriptor, size) ? LEFT_BYTES : 0
    this.#end = left > 0 ? size : size + writeSync(descriptor, this.#zeros, 0, this.#zeros.length, size)
    this.#position = size - left + needed
  }

  /** Whether some zeros are left after all: `#position` is only a guess. */
  #hasZeros(descriptor: number, size: number): boolean {
    const last = Buffer.allocUnsafe(Math.min(LEFT_BYTES, size))
    const count = readSync(descriptor, last, 0, last.length, size - last.length)
    return count === LEFT_BYTES && last.equals(this.#zeros.subarray(0, LEFT_BYTES))
  }

  /** The newest log. A full one is deleted when its table is written, and that is how it is noticed. */
  #openLog(): { readonly descriptor: number; readonly size: number } {
    const open = this.#descriptor === undefined ? undefined : fstatSync(this.#descriptor)
    if (this.#descriptor !== undefined && open !== undefined && open.nlink > 0) {
      return { descriptor: this.#descriptor, size: open.size }
    }
    this.leave()
    const number = listStoreFiles(this.#directory).logs.at(-1) ?? 0
    this.#descriptor = openSync(join(this.#directory, logName(number)), 'r+')
    return { descriptor: this.#descriptor, size: fstatSync(this.#descriptor).size }
  }
}
