import { closeSync, constants, fstatSync, openSync, readFileSync, write } from 'node:fs'
import { join } from 'node:path'

import { parseLog } from './read-log.ts'
import { cutFile } from './cut-file.ts'
import { logName, listFiles } from './list-files.ts'

const KIB = 1024
const PAGE_BYTES = 4 * KIB
/** Written at a time: for hundreds of small batches, and for a few dozen large ones. */
const MIN_ZEROS = 512 * KIB
const MAX_ZEROS = 2048 * KIB
const ZEROS_BATCHES = 32
/** More are written when fewer are left, or too few for so many batches. */
const LEFT_BYTES = 128 * KIB
const LEFT_BATCHES = 3
/** Larger batches take so long that what zeros save does not show. */
const MAX_BATCH = 256 * KIB
/** How much of the usual size of a batch is the last one. With all of it, a single caller who seals got room for 64. */
const LAST_SHARE = 1 / 8

/**
 * Zeros ahead of LevelDB's log. To sync a file that grows, the file system also commits its journal, and waits for what
 * others have in it; a log that is written over zeros has its size already, and a sync takes two thirds of the time.
 * LevelDB passes over zeros at the end of a log, and so does `parseLog`.
 *
 * They are written and synced in the background while batches go on. Invariant: zeros are only written where LevelDB
 * cannot be. `#position` is never less than where its log ends, a batch that may reach zeros that are being written waits
 * for them, and a log that LevelDB has left since is written to by nobody else.
 *
 * It all is a matter of speed: whatever fails here, the log just grows. What a wrong bound would do, and why it is off
 * unless somebody asks for it: docs/decisions/0007.
 */
export class LogPreallocation {
  readonly #directory: string
  readonly #zeros: Buffer
  #log: { readonly number: number; readonly descriptor: number } | undefined
  /** Where the log ends, at most. */
  #position = 0
  /** Where the zeros end. */
  #end = 0
  #lastBatch = 0
  /** A running average. */
  #usualBatch = 0
  #filling: { readonly from: number; readonly done: Promise<void> } | undefined
  #isOff = false

  /** Never longer than a quarter of a log, which is as long as a write buffer. */
  constructor(directory: string, writeBufferBytes: number) {
    this.#directory = directory
    this.#zeros = Buffer.alloc(Math.min(MAX_ZEROS, Math.floor(writeBufferBytes / 4)))
  }

  /** Before a batch that takes at most so many bytes of the log. What it has to wait for, most often nothing. */
  clear(bytes: number): Promise<void> | undefined {
    this.#lastBatch = bytes
    if (bytes <= MAX_BATCH) this.#usualBatch += Math.ceil((bytes - this.#usualBatch) * LAST_SHARE)
    this.#position += bytes
    const filling = this.#filling
    return filling !== undefined && this.#position > filling.from ? filling.done : undefined
  }

  /** After a batch, while no other is under way: begins to write more zeros if few are left. */
  extend(): void {
    const needed = Math.max(LEFT_BYTES, LEFT_BATCHES * this.#usualBatch)
    if (this.#isOff || this.#filling !== undefined || this.#lastBatch > MAX_BATCH) return
    if (this.#end - this.#position >= needed) return
    try {
      this.#fill(this.#followLog())
    } catch {
      this.#isOff = true // the disk is full, or worse; the next batch will tell, or manage without
    }
  }

  /** Before LevelDB is closed, and its logs are cut or deleted. */
  async leave(): Promise<void> {
    await this.#filling?.done
    if (this.#log !== undefined) closeSync(this.#log.descriptor)
    this.#log = undefined
    this.#isOff = false
    this.#position = 0
    this.#end = 0
  }

  /** After LevelDB has been closed in order: what nobody has written over goes. */
  async cut(): Promise<void> {
    await this.leave()
    try {
      for (const number of listFiles(this.#directory).logs) cutZeros(join(this.#directory, logName(number)))
    } catch {
      // They stay, and cost some disk until the next opening.
    }
  }

  /** Makes sure that the log is the newest, and that it is known where it ends. */
  #followLog(): number {
    const number = listFiles(this.#directory).logs.at(-1) ?? 0
    if (this.#log?.number === number && this.#position <= this.#end) return this.#log.descriptor
    if (this.#log?.number !== number) {
      if (this.#log !== undefined) closeSync(this.#log.descriptor)
      this.#log = undefined
      const descriptor = openSync(join(this.#directory, logName(number)), constants.O_WRONLY | constants.O_DSYNC)
      this.#log = { number, descriptor }
    }
    // LevelDB has come to the end of the file, or is somewhere before it.
    const { descriptor } = this.#log
    this.#end = fstatSync(descriptor).size
    this.#position = this.#end
    return descriptor
  }

  /** The next batch shall not have to wait, so it gets room before the zeros. A hole reads as zeros, too. */
  #fill(descriptor: number): void {
    const room = Math.ceil((this.#position + 2 * this.#usualBatch) / PAGE_BYTES) * PAGE_BYTES
    const from = Math.max(this.#end, room)
    const wanted = Math.max(MIN_ZEROS, ZEROS_BATCHES * this.#usualBatch)
    const done = new Promise<void>((resolve) => {
      write(descriptor, this.#zeros, 0, Math.min(wanted, this.#zeros.length), from, (error, written) => {
        this.#filling = undefined
        if (error === null) this.#end = from + written
        else this.#isOff = true
        resolve()
      })
    })
    this.#filling = { from, done }
  }
}

function cutZeros(file: string): void {
  const bytes = readFileSync(file)
  const { end, rest } = parseLog(bytes)
  if (rest === 'nothing' && end < bytes.length) cutFile(file, end)
}
