import { registerBackends, registerMigration } from '@turnlog/core'
import { defaultBackends } from './default-backends.ts'

/**
 * Core knows no backend on disk and no importer; this package depends on them. Each is loaded only when it is needed.
 */
export function registerDefaultBackends(): void {
  registerBackends(defaultBackends)
  registerMigration(async (...migration) => {
    const { migrateOnOpen } = await import('@turnlog/importers')
    await migrateOnOpen(...migration)
  })
}
