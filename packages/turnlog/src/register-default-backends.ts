import { registerBackends } from '@turnlog/core'

/**
 * In a strict layout core cannot see the backends; this package depends on them and can. Each is loaded only when it
 * is chosen.
 */
export function registerDefaultBackends(): void {
  registerBackends({
    leveldb: () => import('@turnlog/leveldb-backend'),
    jsonl: () => import('@turnlog/jsonl-backend'),
  })
}
