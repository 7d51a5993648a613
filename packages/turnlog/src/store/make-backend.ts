import { StoreError } from '@turnlog/core'
import type { Backend, StoreConfig } from '@turnlog/core'
import { storePlace } from './store-place.ts'

/**
 * The backend itself, not opened, for work that no store offers: repair wants it closed.
 *
 * @throws `INVALID_CONFIG` for a backend that is chosen by the name of a package
 */
export async function makeBackend(config: StoreConfig): Promise<Backend> {
  const { backend, durability, backendOptions } = config
  if (typeof backend === 'object') return backend
  const place = storePlace(config)
  const path = place?.directory ?? config.path
  const options = {
    ...backendOptions,
    ...(path === undefined ? undefined : { path }),
    ...(durability === undefined ? undefined : { durability }),
  }
  if (typeof backend === 'function') return await backend(options)
  // Loaded only here, so that every other command starts without them.
  if (place?.asked === 'leveldb') {
    const { leveldbBackend } = await import('@turnlog/leveldb-backend')
    return leveldbBackend({ ...options, path: place.directory })
  }
  if (place?.asked === 'jsonl') {
    const { jsonlBackend } = await import('@turnlog/jsonl-backend')
    return jsonlBackend({ ...options, path: place.directory })
  }
  throw new StoreError(
    'INVALID_CONFIG',
    `This works on stores of the kinds leveldb and jsonl. For backend ${JSON.stringify(backend)} give --store a module whose default export is the backend itself.`,
  )
}
