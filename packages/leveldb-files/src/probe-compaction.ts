import { closeSync, openSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { listFiles } from './list-files.ts'

/** One step of a compaction reads a table of one level and those below it, and writes them anew. */
const FILES = 24
const STEP_BYTES = 256 * 1024 * 1024

/**
 * Makes sure that a compaction will find files and space. LevelDB ends the process (a null pointer in
 * `DBImpl::BackgroundCompaction`) if a compaction that was asked for fails at the wrong moment, so do not begin one that
 * cannot succeed. What goes wrong only in its middle is not foreseen.
 *
 * @throws what the file system says, or that there is too little space
 */
export function probeCompaction(directory: string): void {
  const descriptors: number[] = []
  try {
    for (let count = 0; count < FILES; count++) descriptors.push(openSync(directory, 'r'))
    let bytes = 0
    for (const name of listFiles(directory).tables.values()) {
      bytes += statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0
    }
    const { bavail, bsize } = statfsSync(directory)
    const needed = Math.min(bytes, STEP_BYTES)
    if (bavail * bsize < needed) throw new Error(`ENOSPC: ${needed} bytes are needed, ${bavail * bsize} are free`)
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}
