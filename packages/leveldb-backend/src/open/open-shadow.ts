import { copyFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import { cutFile, logName } from '@turnlog/leveldb-files'
import type { TornLog } from '@turnlog/leveldb-files'
import { makeTemporaryDirectory } from '@turnlog/storage-kit'

import { openLevel } from '../database/level.ts'
import type { Level } from '../database/level.ts'
import { fromLevel } from '../database/to-store-error.ts'
import { readManifest } from '../files/inspect-store.ts'
import { listStoreFiles } from '../files/store-files.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'

/**
 * Opens what is in `directory` without touching it. LevelDB writes whenever it opens: it replays logs, makes tables,
 * deletes files. So it gets a shadow: a temporary directory with links to the tables, which never change, and copies of
 * the rest. A table that no version knows is not linked: LevelDB would take its number for a new one, and write through
 * the link. Remove `level.location` after closing.
 *
 * @throws `CORRUPT`, `IO`
 */
export async function openShadow(directory: string, options: CheckedOptions, torn?: TornLog): Promise<Level> {
  let shadow: string | undefined
  try {
    const files = listStoreFiles(directory)
    const { tables } = readManifest(directory, files)
    shadow = makeTemporaryDirectory('shadow')
    for (const [number, name] of files.tables) {
      if (tables.has(number)) symlinkSync(join(directory, name), join(shadow, name))
    }
    for (const name of ['CURRENT', ...files.manifests, ...files.logs.map(logName)]) {
      copyFileSync(join(directory, name), join(shadow, name))
    }
    if (torn !== undefined) cutFile(join(shadow, basename(torn.file)), torn.offset)
    return await openLevel(shadow, options, false)
  } catch (error) {
    if (shadow !== undefined) rmSync(shadow, { recursive: true, force: true })
    throw error instanceof StoreError ? error : fromLevel(error, 'open the store for reading', directory)
  }
}
