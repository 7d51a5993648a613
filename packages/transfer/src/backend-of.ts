import type { SessionStore } from '@turnlog/core'
import { isBackend, StoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'

/** A store of whatever messages, or an open backend. */
export type StoreOrBackend = Pick<SessionStore, 'backend'> | Backend

/** @throws `INVALID_ARGUMENT` for what is neither */
export function backendOf(place: StoreOrBackend): Backend {
  const backend: unknown = isBackend(place) ? place : place.backend
  if (isBackend(backend)) return backend
  throw new StoreError('INVALID_ARGUMENT', 'This needs a store as openStore() returns it, or a backend.')
}
