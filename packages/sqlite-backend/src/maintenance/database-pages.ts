import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'

import { inspectLogBytes } from '../format/log-file.ts'

/** What SQLite uses unless it is told otherwise, for where the header cannot be read. */
const USUAL_PAGE_BYTES = 4096

/** The pages of a closed database as its files have them, committed pages of the log in place of older ones. */
export class DatabasePages {
  readonly pageBytes: number
  readonly count: number
  readonly #descriptor: number
  readonly #log: Buffer
  readonly #newer = new Map<number, number>()

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
    this.#log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0)
    const { size } = fstatSync(this.#descriptor)
    const header = Buffer.alloc(20)
    readSync(this.#descriptor, header, 0, header.length, 0)
    const log = inspectLogBytes(this.#log)
    this.pageBytes = log.pageBytes || pageBytesOf(header.readUInt16BE(16))
    for (const { page, position } of log.frames.slice(0, log.committed)) this.#newer.set(page, position)
    this.count = Math.max(Math.ceil(size / this.pageBytes), ...this.#newer.keys())
  }

  /** @param number from 1 on */
  read(number: number): Buffer {
    const position = this.#newer.get(number)
    if (position !== undefined) return this.#log.subarray(position, position + this.pageBytes)
    const page = Buffer.alloc(this.pageBytes)
    readSync(this.#descriptor, page, 0, this.pageBytes, (number - 1) * this.pageBytes)
    return page
  }

  /** Pages that are free: what stands in them was deleted. */
  free(): ReadonlySet<number> {
    const found = new Set<number>()
    let trunk = this.read(1).readUInt32BE(32)
    while (trunk > 0 && trunk <= this.count && !found.has(trunk)) {
      found.add(trunk)
      const page = this.read(trunk)
      const leaves = Math.min(page.readUInt32BE(4), Math.floor(this.pageBytes / 4) - 2)
      for (let index = 0; index < leaves; index++) found.add(page.readUInt32BE(8 + 4 * index))
      trunk = page.readUInt32BE(0)
    }
    return found
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function pageBytesOf(stored: number): number {
  const bytes = stored === 1 ? 65_536 : stored
  const isPossible = bytes >= 512 && Number.isInteger(Math.log2(bytes))
  return isPossible ? bytes : USUAL_PAGE_BYTES
}
