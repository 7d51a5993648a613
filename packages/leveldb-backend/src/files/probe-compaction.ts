import { closeSync, openSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

import { listStoreFiles } from './store-files.ts'

/** One step of a compaction reads a table of one level and those below it, and writes them anew. */
const FILES = 24
const STEP_BYTES = 256 * 1024 * 1024

/**
 * Makes sure that a compaction will find files and space. LevelDB ends the process (a null pointer in
 * `DBImpl::BackgroundCompaction`) if one that was asked for fails at the wrong moment, so it is not begun where it
 * cannot succeed. What goes wrong only in its middle is beyond us.
 *
 * @throws `IO`
 */
export function probeCompaction(directory: string): void {
  const descriptors: number[] = []
  try {
    for (let count = 0; count < FILES; count++) descriptors.push(openSync(directory, 'r'))
    let bytes = 0
    for (const name of listStoreFiles(directory).tables.values()) {
      bytes += statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0
    }
    const { bavail, bsize } = statfsSync(directory)
    const needed = Math.min(bytes, STEP_BYTES)
    if (bavail * bsize < needed) throw new Error(`ENOSPC: ${needed} bytes are needed, ${bavail * bsize} are free`)
  } catch (error) {
    throw new StoreError(
      'IO',
      `Cannot compact in ${directory}: there is no room for it, or no more files may be opened. See the cause.`,
      { cause: error },
    )
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}
