import type { SessionStore, StoreWarning } from '@turnlog/core'
import { isStoreError, StoreError } from '@turnlog/core/backend'
import { migrateDirectory } from './migrate-directory.ts'
import type { MigratedFile, MigrationReport } from './migration-report.ts'

/**
 * The migration that `migrateFrom` asks for. All sessions that exist are in the store afterwards, or it rejects: an
 * agent must not run with some of them here and some there. Files that are no sessions, and sessions that the store has
 * in another version, do not stop it; each is a warning.
 *
 * @throws with the code of the first failure
 */
export async function migrateOnOpen<M extends object>(
  store: SessionStore<M>,
  directory: string,
  warn: (warning: StoreWarning) => void,
): Promise<void> {
  const report = await migrate(store, directory)
  for (const file of report.files) {
    if (file.status === 'invalid' || file.status === 'conflict' || file.badLines !== undefined) warn(warningOf(file))
  }
  const failed = report.files.find(({ status }) => status === 'failed')
  if (failed === undefined) return
  throw cannotOpen(directory, failed.code ?? 'IO', `${describeCount(report)} The first: ${failed.reason ?? ''}`, failed)
}

async function migrate<M extends object>(store: SessionStore<M>, directory: string): Promise<MigrationReport> {
  try {
    return await migrateDirectory(store, directory)
  } catch (error) {
    if (isStoreError(error)) throw cannotOpen(directory, error.code, error.message, { cause: error })
    throw cannotOpen(directory, 'IO', 'see cause.', { cause: error })
  }
}

function cannotOpen(
  directory: string,
  code: StoreError['code'],
  what: string,
  { key, cause }: { readonly key?: string; readonly cause?: unknown },
): StoreError {
  return new StoreError(
    code,
    `The store was not opened, because migrating ${JSON.stringify(directory)} failed: ${what} ` +
      'What was imported is safe and will not be imported again: remove the cause, then open again.',
    {
      ...(key === undefined ? undefined : { session: key }),
      file: directory,
      ...(cause === undefined ? undefined : { cause }),
    },
  )
}

function describeCount({ counts }: MigrationReport): string {
  const done = counts.imported + counts['already-there']
  return `${counts.failed} of ${counts.failed + done} sessions could not be imported.`
}

function warningOf({ file, status, key, reason = '' }: MigratedFile): StoreWarning {
  const code =
    status === 'invalid' ? 'MIGRATION_INVALID' : status === 'conflict' ? 'MIGRATION_CONFLICT' : 'MIGRATION_BAD_LINES'
  const message = status === 'invalid' ? `Not migrated: ${file}. ${reason}` : `${file}: ${reason}`
  return { code, message, ...(key === undefined ? undefined : { session: key }) }
}
