import type { BackendOptions, StorePlace } from '@turnlog/core/backend'
import { findStore } from '@turnlog/storage-kit/find-store'
import { LEVELDB_FILES } from './leveldb-files.ts'
import { highestLock } from '../lock/lock-number.ts'

export function storePlace({ path }: BackendOptions): StorePlace | undefined {
  return path === undefined ? undefined : findStore(path, isStore)
}

function isStore(names: readonly string[]): boolean {
  if (LEVELDB_FILES.some((name) => names.includes(name))) return false
  return highestLock(names) > 0 || names.some((name) => name.endsWith('.jsonl'))
}
