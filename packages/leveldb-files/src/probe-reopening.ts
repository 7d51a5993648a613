import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { listFiles, logName } from './list-files.ts'

/** LevelDB writes a MANIFEST, a log and a table when it opens; the table is what was in the logs. */
const REOPEN_BYTES = 1024 * 1024

/**
 * Writes as many bytes as reopening will need and removes them again.
 *
 * @throws what the file system says
 */
export function probeReopening(directory: string): void {
  const file = join(directory, 'turnlog.probe')
  let left = REOPEN_BYTES
  try {
    for (const number of listFiles(directory).logs) {
      // LevelDB is open and may just have moved a log into a table.
      left += statSync(join(directory, logName(number)), { throwIfNoEntry: false })?.size ?? 0
    }
    const descriptor = openSync(file, 'w', 0o600)
    try {
      const zeros = Buffer.alloc(REOPEN_BYTES)
      while (left > 0) left -= writeSync(descriptor, zeros, 0, Math.min(left, zeros.length))
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } finally {
    rmSync(file, { force: true })
  }
}
