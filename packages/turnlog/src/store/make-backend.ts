import { StoreError } from '@turnlog/core'
import type { Backend, StoreConfig } from '@turnlog/core'
import { defaultBackends, isDefaultBackend } from '../backends/default-backends.ts'
import { storePath } from './store-place.ts'

/**
 * The backend itself, not opened, for work that no store offers: repair wants it closed.
 *
 * @throws `INVALID_CONFIG` for a backend that is chosen by the name of a package
 */
export async function makeBackend(config: StoreConfig): Promise<Backend> {
  const { backend = 'leveldb', durability, backendOptions } = config
  if (typeof backend === 'object') return backend
  const isOurs = isDefaultBackend(backend)
  const path = isOurs ? storePath(config) : config.path
  const options = {
    ...backendOptions,
    ...(path === undefined ? undefined : { path }),
    ...(durability === undefined ? undefined : { durability }),
  }
  if (typeof backend === 'function') return await backend(options)
  if (isOurs && path !== undefined) return (await defaultBackends[backend]()).backend.create(options)
  throw new StoreError(
    'INVALID_CONFIG',
    `This works on stores of the kinds ${Object.keys(defaultBackends).join(' and ')}. For backend ${JSON.stringify(backend)} give --store a module whose default export is the backend itself.`,
  )
}
