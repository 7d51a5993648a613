import type { Backend, BackendDefinition, BackendOptions, Capabilities } from '@turnlog/core/backend'
import { guardBackend } from '@turnlog/core/backend'
import { toStoreError } from './file-system/to-store-error.ts'
import type { JsonlOptions } from './options/jsonl-options.ts'
import { checkOptions } from './options/jsonl-options.ts'
import type { Environment } from './open/open-directory.ts'
import { storePlace } from './open/store-place.ts'

/**
 * One readable `.jsonl` file per session, for people who want to `cat`, `grep`, `jq` and `diff` their conversations.
 *
 * @throws `INVALID_CONFIG`
 * @example
 * const backend = jsonlBackend({ path: './sessions' })
 */
export function jsonlBackend(options: JsonlOptions): Backend {
  return jsonlBackendWith(options, {})
}

/** The same on another file system, or seen from another process, for tests. */
export function jsonlBackendWith(options: JsonlOptions | BackendOptions, given: Partial<Environment>): Backend {
  const checked = checkOptions(options)
  const capabilities: Capabilities = {
    persistent: true,
    durability: checked.durability,
    access: 'exclusive',
    concurrentReaders: true,
    detectsDamage: true,
  }
  return guardBackend('jsonl', capabilities, {
    hasWake: true,
    open: async ({ readOnly }) => {
      const { JsonlDriver } = await import('./jsonl-driver.ts')
      return JsonlDriver.open(await environmentOf(given), checked, readOnly)
    },
    repair: async (request) => {
      const { repair } = await import('./maintenance/repair.ts')
      return repair(await environmentOf(given), checked.path, request)
    },
    toStoreError: (error, what, session) => {
      const place = session === undefined ? 'at' : `of session ${JSON.stringify(session)} in`
      return toStoreError(error, `${what} ${place}`, checked.path, session)
    },
  })
}

/** Files and the process itself are looked at when a store is opened: importing the package costs everybody. */
async function environmentOf(given: Partial<Environment>): Promise<Environment> {
  const [{ nodeFileSystem }, { thisHost }] = await Promise.all([
    import('./file-system/node-file-system.ts'),
    import('./lock/host.ts'),
  ])
  return { fileSystem: given.fileSystem ?? nodeFileSystem, host: given.host ?? thisHost() }
}

/** For choosing this backend by name in a configuration. */
export const backend: BackendDefinition = {
  name: 'jsonl',
  contract: 1,
  create: (options) => jsonlBackendWith(options, {}),
  storePlace,
  describeLock: async (directory) => (await import('./lock/describe-lock.ts')).describeLock(directory),
}
