import type { Backend, OpenOptions, OpenReport } from './backend/backend.ts'
import { requireMigration } from './config/register-migration.ts'
import { reportWarning } from './runtime/report-warning.ts'
import type { ResolvedBackend } from './config/resolve-backend.ts'
import { resolveBackend } from './config/resolve-backend.ts'
import type { StoreConfig, StoreSettings } from './config/store-config.ts'
import { observe } from './diagnostics/observe.ts'
import { isStoreError } from './errors/store-error.ts'
import { RetentionService } from './retention/retention-service.ts'
import type { Message, SessionStore } from './store/session-store.ts'
import { Store } from './store/store.ts'

/**
 * Opens a store: `openStore('./data')` is a LevelDB store in that directory, `openStore('jsonl:./data')` one of plain
 * files, `openStore({ ... })` everything else. A backend passed in is opened here, and closed with the store.
 *
 * @throws `INVALID_CONFIG`, `BACKEND_NOT_FOUND`, `BACKEND_LOAD_FAILED`, `CONTRACT_MISMATCH`, `LOCKED`, `CORRUPT`,
 * `UNSUPPORTED`, `IO`
 *
 * @example
 * ```ts
 * const store = await openStore('./sessions')
 * await store.addMessage('telegram:42', 'user', 'Hello')
 * await store.close()
 * ```
 */
export async function openStore<M extends object = Message>(
  config: StoreConfig<M> | Backend | string,
): Promise<SessionStore<M>> {
  const { backend, findings, ...resolved } = await openBackend(config as StoreConfig | Backend | string)
  const settings = resolved.config as StoreSettings<M>
  for (const warning of resolved.warnings) reportWarning(resolved.config, warning)
  for (const { kind, message, session } of findings) {
    const code = kind.toUpperCase().replaceAll('-', '_')
    reportWarning(resolved.config, { code, message, ...(session === undefined ? undefined : { session }) })
  }
  const { migrateFrom, readOnly = false } = settings
  const store = new Store<M>(
    { backend, readOnly, retention: (access) => new RetentionService(access, settings) },
    settings,
  )
  if (migrateFrom === undefined) return store
  try {
    await requireMigration()<M>(store, migrateFrom, (warning) => reportWarning(resolved.config, warning))
    return store
  } catch (error) {
    await store.close().catch(() => undefined) // why it is not opened says more than why it does not close
    throw error
  }
}

async function openBackend(given: StoreConfig | Backend | string): Promise<ResolvedBackend & OpenReport> {
  const resolved = await resolveBackend(given)
  if (resolved.config.migrateFrom !== undefined) requireMigration() // before anything is opened
  const options = resolved.config.readOnly === true ? { readOnly: true } : {}
  try {
    return { ...resolved, ...(await openObserved(resolved.backend, options)) }
  } catch (error) {
    if (resolved.fallBack === undefined || !isStoreError(error, 'BACKEND_LOAD_FAILED')) throw error
    const instead = await resolved.fallBack(error)
    return { ...instead, ...(await openObserved(instead.backend, options)) }
  }
}

function openObserved(backend: Backend, options: OpenOptions): Promise<OpenReport> {
  return observe(
    'turnlog:open',
    { backend: backend.name },
    () => backend.open(options),
    ({ findings }) => ({ findings: findings.length }),
  )
}
