import { linkSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { listFiles, logName } from './list-files.ts'

/** What a file system says that knows no second names. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK'])

/**
 * Gives the logs second names before LevelDB opens them. One that it cannot open, because the process has too many
 * files open at that moment, it leaves out, says so in its own text log alone, and deletes. What was acknowledged is then
 * under the second name only, until it has been written again; and there the next process finds it if this one dies.
 *
 * The newest first: to write the last batches once more, in order, changes nothing; to write earlier ones would.
 * A file system without second names goes without.
 *
 * @returns the second names that there are
 */
export function linkLogs(directory: string): readonly string[] {
  const { logs, others } = listFiles(directory)
  const linkedLogs = linkedLogsOf(others)
  const newest = linkedLogs.at(-1) ?? Infinity
  const kept = [...linkedLogs]
  for (const number of logs.toReversed()) {
    // Behind those that are kept is only what was being written again when somebody died.
    if (number > newest || linkedLogs.includes(number)) continue
    try {
      linkSync(join(directory, logName(number)), join(directory, linkName(number)))
      kept.push(number)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (NO_LINKS.has(code)) break
      // If LevelDB is open, it may just have moved the log into a table.
      if (code !== 'ENOENT') throw error
    }
  }
  return kept.sort((a, b) => a - b).map((number) => join(directory, linkName(number)))
}

/** The numbers of the logs that have a second name among these, ascending. */
export function linkedLogsOf(names: readonly string[]): readonly number[] {
  const numbers = names
    .map((name) => /^turnlog\.kept-(\d+)\.log$/.exec(name)?.[1])
    .filter((number) => number !== undefined)
  return numbers.map(Number).sort((a, b) => a - b)
}

/** The second name of a log. */
export function linkName(number: number): string {
  return `turnlog.kept-${logName(number)}`
}

/** LevelDB has everything that was in them. The oldest goes first, for the same reason. */
export function removeLogLinks(kept: readonly string[]): void {
  for (const file of kept) rmSync(file)
}
