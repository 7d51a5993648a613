import type { Backend } from '../backend/backend.ts'
import { isBackend } from '../config/is-backend.ts'
import type { SessionStore } from '../store/session-store.ts'
import { internalsOf } from '../store/store-internals.ts'

/** A store of whatever messages, or an open backend. */
export type StoreOrBackend = Pick<SessionStore, 'close' | 'listSessions' | 'verify'> | Backend

/** @throws `INVALID_ARGUMENT` for what is neither */
export function backendOf(place: StoreOrBackend): Backend {
  return isBackend(place) ? place : internalsOf(place).backend
}
