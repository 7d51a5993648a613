import { closeSync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { parseLog } from './files/log-file.ts'
import { cutFile } from './files/set-aside.ts'
import { listStoreFiles, logName } from './files/store-files.ts'

const KIB = 1024
/** Zeros for so many batches, within these bounds. */
const BATCHES_AHEAD = 16
const LEAST_BYTES = 256 * KIB
const MOST_BYTES = 1024 * KIB
/** Larger ones are not worth it: the disk has more to do with them than with the journal. */
const BATCH_MOST = 128 * KIB
/** About what LevelDB writes for each batch beside what is in it. */
const BATCH_EXTRA = 512

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
  #end = -1
  /** About where the log is: what LevelDB adds to a batch is not known exactly. */
  #position = 0

  /** Never longer than a quarter of a log, which is as long as a write buffer. */
  constructor(directory: string, writeBufferBytes: number) {
    this.#directory = directory
    this.#zeros = Buffer.alloc(Math.min(MOST_BYTES, Math.floor(writeBufferBytes / 4)))
  }

  /** Before a batch of so many bytes. No other may be under way: behind the end of the file nobody writes then. */
  prepare(bytes: number): void {
    if (this.#isOff || bytes > BATCH_MOST) return
    try {
      this.#lengthen(bytes + BATCH_EXTRA)
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
  }

  /** After LevelDB has been closed in order: what nobody has written over goes. */
  cut(): void {
    this.leave()
    for (const number of listStoreFiles(this.#directory).logs) {
      const file = join(this.#directory, logName(number))
      const bytes = readFileSync(file)
      const { end, rest } = parseLog(bytes)
      if (rest === 'nothing' && end < bytes.length) cutFile(file, end)
    }
  }

  #lengthen(bytes: number): void {
    const descriptor = this.#openLog()
    if (descriptor === undefined) return
    const { size } = fstatSync(descriptor)
    if (size > this.#end) this.#position = size // it has outrun the zeros
    if (size - this.#position < bytes) {
      const length = Math.min(this.#zeros.length, Math.max(LEAST_BYTES, BATCHES_AHEAD * bytes))
      this.#end = size + writeSync(descriptor, this.#zeros, 0, length, size)
    }
    this.#position += bytes
  }

  /** The newest log. A full one is deleted when its table is written, and that is how it is noticed. */
  #openLog(): number | undefined {
    if (this.#descriptor !== undefined && fstatSync(this.#descriptor).nlink > 0) return this.#descriptor
    this.leave()
    const number = listStoreFiles(this.#directory).logs.at(-1)
    if (number === undefined) return undefined
    this.#descriptor = openSync(join(this.#directory, logName(number)), 'r+')
    this.#end = -1
    return this.#descriptor
  }
}
