import type { Backend } from '@turnlog/core'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'

import { sqliteAt } from './sqlite-at.ts'

export type BackendName = 'leveldb' | 'jsonl' | 'sqlite'

export interface StorePlace {
  readonly backend: BackendName
  readonly path: string
  readonly durability?: 'sync' | 'os'
}

/** Small buffers, few open files: what rarely happens in a short life happens all the time here. */
export function makeBackend({ backend, path, durability = 'sync' }: StorePlace): Backend {
  if (backend === 'sqlite') return sqliteAt(path, durability)
  return backend === 'leveldb'
    ? leveldbBackend({ path, durability, writeBufferBytes: 64 * 1024, maxFileBytes: 1024 * 1024, cacheBytes: 0 })
    : jsonlBackend({ path, durability, maxOpenFiles: 4, rewriteWhenTrimmed: 0.3 })
}
