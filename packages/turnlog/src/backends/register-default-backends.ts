import { registerBackends, registerMigration } from '@turnlog/core'
import { defaultBackends } from './default-backends.ts'
import { describeRuntime } from './describe-runtime.ts'

/**
 * Core knows no backend on disk and no importer; this package depends on them. Each is loaded only when it is needed.
 */
export function registerDefaultBackends(): void {
  registerBackends(defaultBackends, {
    default: 'leveldb',
    needPath: Object.keys(defaultBackends),
    describeRuntime,
    find: async (...wanted) => {
      const { findBackend } = await import('./find-backend.ts')
      return findBackend(...wanted)
    },
  })
  registerMigration(async (...migration) => {
    const { migrateOnOpen } = await import('@turnlog/importers')
    await migrateOnOpen(...migration)
  })
}
