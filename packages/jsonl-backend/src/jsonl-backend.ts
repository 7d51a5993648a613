import type { Backend, BackendDefinition, BackendOptions, Capabilities } from '@turnlog/core/backend'
import { guardBackend } from '@turnlog/core/backend'
import { nodeFileSystem } from './file-system/node-file-system.ts'
import { toStoreError } from './to-store-error.ts'
import type { JsonlOptions } from './jsonl-options.ts'
import { checkOptions } from './jsonl-options.ts'
import { describeLock } from './lock/describe-lock.ts'
import { thisHost } from './lock/host.ts'
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
export function jsonlBackendWith(
  options: JsonlOptions | BackendOptions,
  { fileSystem = nodeFileSystem, host = thisHost() }: Partial<Environment>,
): Backend {
  const checked = checkOptions(options)
  const environment = { fileSystem, host }
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
      return JsonlDriver.open(environment, checked, readOnly)
    },
    repair: async (request) => {
      const { repair } = await import('./maintenance/repair.ts')
      return repair(environment, checked.path, request)
    },
    toStoreError: (error, what, session) => {
      const place = session === undefined ? 'at' : `of session ${JSON.stringify(session)} in`
      return toStoreError(error, `${what} ${place}`, checked.path, session)
    },
  })
}

/** For choosing this backend by name in a configuration. */
export const backend: BackendDefinition = {
  name: 'jsonl',
  contract: 1,
  create: (options) => jsonlBackendWith(options, {}),
  storePlace,
  describeLock,
}
