import type { StoreErrorCode } from '@turnlog/core/backend'

/**
 * What became of a legacy session.
 *
 * - `imported`: it is in the store now (or would be, in a dry run).
 * - `already-there`: an earlier run had imported it and was interrupted before the rename.
 * - `conflict`: the store has a session of that key with other contents; neither was touched.
 * - `invalid`: the file is no session that can be read. It was left as it is.
 * - `failed`: it is a session, but it could not be brought over now. Remove the cause and run again.
 * - `skipped`: not a file of a legacy session, for all its name.
 */
export type MigrationStatus = 'imported' | 'already-there' | 'conflict' | 'invalid' | 'failed' | 'skipped'

export interface MigratedFile {
  /** Its name in the directory. Of a `.jsonl` and its `.meta.json`, the `.jsonl`. */
  readonly file: string
  readonly status: MigrationStatus
  /** The session, if its key could be read. */
  readonly key?: string
  /** Messages that were recorded. */
  readonly messages?: number
  /** How many of them are recorded, but not part of the history, because the old store had truncated them. */
  readonly truncated?: number
  /** Lines of a `.jsonl`, from 1, that are no messages. Their text is kept in the session's log, as a note. */
  readonly badLines?: readonly number[]
  /** What the original is called now. */
  readonly renamedTo?: readonly string[]
  /** One or two sentences for a person. No message contents. */
  readonly reason?: string
  readonly code?: StoreErrorCode
}

export interface MigrationReport {
  readonly directory: string
  readonly dryRun: boolean
  /** In the order in which they were handled. */
  readonly files: readonly MigratedFile[]
  readonly counts: Readonly<Record<MigrationStatus, number>>
  /** Messages of all imported sessions. */
  readonly messages: number
}

export interface MigrationProgress {
  readonly done: number
  readonly total: number
  /** What was finished last. */
  readonly file: MigratedFile
}

export interface MigrationOptions {
  /** Say what would happen; change neither the store nor the directory. @default false */
  readonly dryRun?: boolean
  /** Called once for each file, when it is done. @default nobody is told */
  readonly onProgress?: (progress: MigrationProgress) => void
  /** Ends the migration between two groups of files. What was imported stays; a later run goes on. @default none */
  readonly signal?: AbortSignal
}

export function makeReport(directory: string, dryRun: boolean, files: readonly MigratedFile[]): MigrationReport {
  const counts = { imported: 0, 'already-there': 0, conflict: 0, invalid: 0, failed: 0, skipped: 0 }
  let messages = 0
  for (const { status, messages: recorded = 0 } of files) {
    counts[status]++
    if (status === 'imported') messages += recorded
  }
  return { directory, dryRun, files, counts, messages }
}
