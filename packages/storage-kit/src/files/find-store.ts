import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import type { StorePlace } from '@turnlog/core/backend'

/** What every new volume of ext4 has in it. */
const OF_THE_VOLUME = 'lost+found'

/**
 * What lies at the path of a store.
 *
 * @param isStore whether a directory with these names in it is a store of the backend that asks
 * @throws `IO`
 */
export function findStore(path: string, isStore: (names: readonly string[]) => boolean): StorePlace {
  const directory = resolve(path)
  return { directory, found: lookAt(directory, isStore) }
}

function lookAt(directory: string, isStore: (names: readonly string[]) => boolean): StorePlace['found'] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'missing'
    if (code === 'ENOTDIR') return existsSync(directory) ? 'file' : 'missing'
    throw new StoreError('IO', `Cannot look into ${directory}: ${(error as Error).message}`, {
      file: directory,
      cause: error,
    })
  }
  if (isStore(names)) return 'store'
  return names.every((name) => name === OF_THE_VOLUME) ? 'empty' : 'other'
}
