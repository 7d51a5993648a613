import type { Backend } from '../backend/backend.ts'
import { isBackend } from '../backend/is-backend.ts'
import { StoreError } from '../errors/store-error.ts'
import type { SessionStore } from '../store/session-store.ts'

/** A store of whatever messages, or an open backend. */
export type StoreOrBackend = Pick<SessionStore, 'backend'> | Backend

/** @throws `INVALID_ARGUMENT` for what is neither */
export function backendOf(place: StoreOrBackend): Backend {
  const backend: unknown = isBackend(place) ? place : place.backend
  if (isBackend(backend)) return backend
  throw new StoreError('INVALID_ARGUMENT', 'This needs a store as openStore() returns it, or a backend.')
}
