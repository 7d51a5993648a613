import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { listFiles, logName } from './list-files.ts'
import { parseLog } from './read-log.ts'
import type { LogRecord } from './read-log.ts'
import type { FileProblem } from './read-manifest.ts'

/** The logs of a directory, opened to be cut later, when perhaps no more files may be opened. */
export class HeldLogs {
  readonly #logs: { readonly file: string; readonly descriptor: number }[] = []

  /** @throws what the file system says */
  constructor(directory: string) {
    try {
      for (const number of listFiles(directory).logs) {
        const file = join(directory, logName(number))
        try {
          this.#logs.push({ file, descriptor: openSync(file, 'r+') })
        } catch (error) {
          // LevelDB is open and may just have moved the log into a table; such a log is not written to any more.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        }
      }
    } catch (error) {
      this.close()
      throw error
    }
  }

  /**
   * Cuts off the first failed record of each log and everything behind it, and a torn end.
   *
   * @returns what stays
   */
  cut(isFailed: (record: LogRecord) => boolean): readonly LogRecord[] | FileProblem {
    const kept: LogRecord[] = []
    for (const { file, descriptor } of this.#logs) {
      const { records, end, rest } = parseLog(readFileSync(descriptor))
      if (rest === 'damaged') return { file, problem: `the record at byte ${end} is damaged` }
      const failed = records.find(isFailed)
      kept.push(...records.filter((record) => failed === undefined || record.offset < failed.offset))
      if (failed === undefined && rest !== 'torn') continue
      ftruncateSync(descriptor, failed?.offset ?? end)
      fsyncSync(descriptor)
    }
    return kept
  }

  close(): void {
    for (const { descriptor } of this.#logs.splice(0)) closeSync(descriptor)
  }
}
