import { statSync } from 'node:fs'
import { resolve } from 'node:path'

import { guardBackend } from '@turnlog/core/backend'
import type { Backend, BackendDefinition, BackendOptions, StorePlace } from '@turnlog/core/backend'

import { checkOptions } from './options/sqlite-options.ts'
import type { CheckedOptions, SqliteOptions } from './options/sqlite-options.ts'
import { toStoreError } from './database/to-store-error.ts'

/** A backend on SQLite. @throws `INVALID_CONFIG` */
export function sqliteBackend(options: SqliteOptions): Backend {
  return makeBackend(checkOptions(options))
}

export const backend: BackendDefinition = {
  name: 'sqlite',
  contract: 1,
  create: (options) => makeBackend(checkOptions(options)),
  storePlace,
}

/** Only whether there is a file: to look into it would cost this process the locks that it has on it. */
function storePlace({ path }: BackendOptions): StorePlace | undefined {
  if (path === undefined) return undefined
  const file = statSync(path, { throwIfNoEntry: false })
  const found = file === undefined ? 'missing' : file.isDirectory() ? 'other' : file.size === 0 ? 'empty' : 'store'
  return { directory: resolve(path), found }
}

function makeBackend(options: CheckedOptions): Backend {
  const { durability } = options
  return guardBackend(
    'sqlite',
    { persistent: true, durability, access: 'shared', concurrentReaders: true, detectsDamage: true },
    {
      open: async ({ readOnly }) => (await import('./sqlite-driver.ts')).SqliteDriver.open(options, readOnly),
      repair: async (request) => (await import('./sqlite-driver.ts')).SqliteDriver.repair(options, request),
      hasWake: true,
      toStoreError,
    },
  )
}
