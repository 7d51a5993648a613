import type { SessionStore } from '@turnlog/core'
import { StoreError } from '@turnlog/core/backend'
import { describeFailure, foreseeSource, migrateSource } from './migrate-source.ts'
import type { MigratedFile, MigrationOptions, MigrationReport } from './migration-report.ts'
import { makeReport } from './migration-report.ts'
import type { ReadSource } from './read-source.ts'
import { readSource } from './read-source.ts'
import type { LegacySource } from './scan-directory.ts'
import { scanDirectory } from './scan-directory.ts'
import { groupBySize } from './group-by-size.ts'

type Attempt = { readonly source: LegacySource } & ({ readonly read: ReadSource } | { readonly failure: MigratedFile })

/**
 * Brings the sessions of a legacy directory into a store: `*.json` snapshots, and `*.jsonl` logs with their
 * `*.meta.json`. Each session is one atomic append, after which its files are renamed to `*.migrated`; whatever
 * interrupts it, running it again neither duplicates nor loses anything. A session that cannot be imported is reported
 * and left as it is, and the others go on. A directory that does not exist has no sessions.
 *
 * @throws `IO` if the directory cannot be read, `CLOSED`, `READ_ONLY`, `UNSUPPORTED` (not in Node)
 *
 * @example
 * ```ts
 * const report = await migrateDirectory(store, './sessions')
 * console.log(report.counts.imported, 'sessions imported')
 * ```
 */
export async function migrateDirectory<M extends object>(
  store: SessionStore<M>,
  directory: string,
  options: MigrationOptions = {},
): Promise<MigrationReport> {
  const { dryRun = false, onProgress, signal } = options
  signal?.throwIfAborted()
  if (typeof store.importEvents !== 'function') {
    throw new StoreError('INVALID_ARGUMENT', 'This needs a store as openStore() returns it.')
  }
  const { sources, others } = await scanDirectory(directory)
  const total = sources.length + others.length
  const files: MigratedFile[] = []
  const finish = (file: MigratedFile): void => {
    files.push(file)
    onProgress?.({ done: files.length, total, file })
  }
  for (const other of others) finish(other)
  const known = new Map<string, string>()
  for await (const group of readAhead(directory, sources)) {
    signal?.throwIfAborted()
    // All of a group are written together, so that they share what a durable write costs.
    const results = dryRun
      ? foreseeAll(store, group, known)
      : Promise.all(group.map((attempt) => migrateOne(store, directory, attempt)))
    for (const file of await results) finish(file)
  }
  return makeReport(directory, dryRun, files)
}

async function foreseeAll<M extends object>(
  store: SessionStore<M>,
  group: readonly Attempt[],
  known: Map<string, string>,
): Promise<MigratedFile[]> {
  const files: MigratedFile[] = []
  for (const attempt of group) {
    files.push('failure' in attempt ? attempt.failure : await foreseeSource(store, attempt.source, attempt.read, known))
  }
  return files
}

function migrateOne<M extends object>(
  store: SessionStore<M>,
  directory: string,
  attempt: Attempt,
): Promise<MigratedFile> {
  if ('failure' in attempt) return Promise.resolve(attempt.failure)
  return migrateSource(store, directory, attempt.source, attempt.read)
}

/** Reads a group of sessions while the one before it is written. */
async function* readAhead(directory: string, sources: readonly LegacySource[]): AsyncGenerator<readonly Attempt[]> {
  const attempt = async (source: LegacySource): Promise<Attempt> => {
    try {
      return { source, read: await readSource(directory, source) }
    } catch (error) {
      return { source, failure: describeFailure(source, error) }
    }
  }
  let ahead: Promise<readonly Attempt[]> | undefined
  for (const group of groupBySize(directory, sources)) {
    const reading = Promise.all(group.map(attempt))
    reading.catch(() => undefined) // told when its turn comes, unless the caller has given up before
    if (ahead !== undefined) yield await ahead
    ahead = reading
  }
  if (ahead !== undefined) yield await ahead
}
