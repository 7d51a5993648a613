import { guardBackend } from '@turnlog/core/backend'
import type { Backend, BackendDefinition } from '@turnlog/core/backend'

import { fromLevel } from './database/to-store-error.ts'
import { loadLevel } from './database/load-level.ts'
import { checkOptions } from './options/leveldb-options.ts'
import type { CheckedOptions, LevelDbOptions } from './options/leveldb-options.ts'
import { storePlace } from './files/store-place.ts'

/** A backend on LevelDB. @throws `INVALID_CONFIG` */
export function leveldbBackend(options: LevelDbOptions): Backend {
  return withChecked(checkOptions(options))
}

/** For choosing this backend by name in a configuration. */
export const backend: BackendDefinition = {
  name: 'leveldb',
  contract: 1,
  create: (options) => {
    const checked = checkOptions(options)
    loadLevel() // now, so that a fallback can be chosen in place of what does not load
    return withChecked(checked)
  },
  storePlace,
  describeLock: async (directory) => (await import('./lock/describe-lock.ts')).describeLock(directory),
}

function withChecked(options: CheckedOptions): Backend {
  const capabilities = {
    persistent: true,
    durability: options.durability,
    access: 'exclusive',
    concurrentReaders: false,
    detectsDamage: true,
  } as const
  return guardBackend('leveldb', capabilities, {
    open: async ({ readOnly }) => {
      const { LevelDbDriver } = await import('./leveldb-driver.ts')
      return LevelDbDriver.open(options, readOnly)
    },
    repair: async (request) => {
      const { repairStore } = await import('./maintenance/repair.ts')
      return repairStore(options, request)
    },
    toStoreError: (error, what) => fromLevel(error, what, options.path),
  })
}
