import { closeSync, existsSync, openSync, readFileSync, truncateSync, writevSync } from 'node:fs'

import type { JournalRecord } from '../model/record.ts'

const END_OF_LINE = Buffer.from('\n')

/** A journal that goes to the parent through a pipe: limits on files must not hit it. */
export const PIPED_JOURNAL = 'pipe'
const PIPE_DESCRIPTOR = 3

/**
 * Where a child says what it does, before and after. A line is one `writev`: complete in the page cache when the call
 * returns, whatever happens to the process, and a system call that no store makes, so that injection can leave it alone.
 * One that is killed in the call leaves half a line, which was never said: who goes on with the journal cuts it off.
 */
export class Journal {
  readonly #descriptor: number

  constructor(path: string) {
    if (path !== PIPED_JOURNAL) cutHalfLine(path)
    this.#descriptor = path === PIPED_JOURNAL ? PIPE_DESCRIPTOR : openSync(path, 'a')
  }

  write(record: JournalRecord): void {
    writevSync(this.#descriptor, [Buffer.from(JSON.stringify(record)), END_OF_LINE])
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function cutHalfLine(path: string): void {
  if (!existsSync(path)) return
  const text = readFileSync(path)
  const end = text.lastIndexOf(0x0a) + 1
  if (end < text.length) truncateSync(path, end)
}
