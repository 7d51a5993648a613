import type { Backend } from './backend/backend.ts'
import { requireMigration } from './config/register-migration.ts'
import { reportWarning } from './config/report-warning.ts'
import { resolveBackend } from './config/resolve-backend.ts'
import type { StoreConfig, StoreSettings } from './config/store-config.ts'
import { observe } from './diagnostics/observe.ts'
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
  const resolved = await resolveBackend(config as StoreConfig | Backend | string)
  const settings = resolved.config as StoreSettings<M>
  const { backend } = resolved
  const { migrateFrom } = settings
  const migrate = migrateFrom === undefined ? undefined : requireMigration()
  for (const warning of resolved.warnings) reportWarning(resolved.config, warning)
  const readOnly = settings.readOnly === true
  const { findings } = await observe(
    'turnlog:open',
    { backend: backend.name },
    () => backend.open(readOnly ? { readOnly } : {}),
    (report) => ({ findings: report.findings.length }),
  )
  for (const { kind, message, session } of findings) {
    const code = kind.toUpperCase().replaceAll('-', '_')
    reportWarning(resolved.config, { code, message, ...(session === undefined ? undefined : { session }) })
  }
  const store = new Store<M>({ backend, readOnly }, settings)
  if (migrateFrom === undefined || migrate === undefined) return store
  try {
    await migrate<M>(store, migrateFrom, (warning) => reportWarning(resolved.config, warning))
    return store
  } catch (error) {
    await store.close().catch(() => undefined) // why it is not opened says more than why it does not close
    throw error
  }
}
