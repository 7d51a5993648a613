import { StoreError } from '../errors/store-error.ts'
import type { SessionStore } from '../store/session-store.ts'
import type { StoreWarning } from '../runtime/store-warning.ts'

/** Brings the sessions of a directory into a store that is being opened. If it rejects, so does opening. */
export type Migration = <M extends object>(
  store: SessionStore<M>,
  directory: string,
  warn: (warning: StoreWarning) => void,
) => Promise<void>

/** Process-wide, like the registered backends. */
const REGISTRY: symbol = Symbol.for('turnlog.migration')

const holder = globalThis as { [REGISTRY]?: Migration }

/** Makes the option `migrateFrom` work in every store of this process. The package `turnlog` does this. */
export function registerMigration(migration: Migration): void {
  holder[REGISTRY as never] = migration as never
}

/** @throws `INVALID_CONFIG` if there is none */
export function requireMigration(): Migration {
  const migration: Migration | undefined = holder[REGISTRY as never]
  if (migration !== undefined) return migration
  throw new StoreError(
    'INVALID_CONFIG',
    'Cannot open the store: option "migrateFrom" needs an importer, which core has not. Import openStore from "turnlog", or call registerMigration() first.',
  )
}
