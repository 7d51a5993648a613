import type { ImportOutcome, SessionStore } from '@turnlog/core'
import { isStoreError } from '@turnlog/core/backend'
import { eventsOfSession } from './events-of-session.ts'
import type { LegacySession } from './legacy-session.ts'
import type { MigratedFile } from './migration-report.ts'
import type { ReadSource } from './read-source.ts'
import { Rejection } from './rejection.ts'
import type { LegacySource } from './scan-directory.ts'
import { setAside } from './set-aside.ts'

/**
 * Imports one session and renames its files. Resolves for everything that is wrong with this session; rejects only with
 * what is wrong with the store as a whole. The id of the operation comes from the contents of the files, so a repeat is
 * recognised and writes nothing.
 */
export async function migrateSource<M extends object>(
  store: SessionStore<M>,
  directory: string,
  source: LegacySource,
  { session, operationId }: ReadSource,
): Promise<MigratedFile> {
  try {
    const outcome = await store.importEvents(session.key, eventsOfSession<M>(session), { operationId })
    const renamedTo = outcome === 'conflict' ? [] : await setAside(directory, source)
    return describeOutcome(source, session, outcome, renamedTo)
  } catch (error) {
    if (isStoreError(error) && (error.code === 'CLOSED' || error.code === 'READ_ONLY')) throw error
    return describeFailure(source, error, session.key)
  }
}

/** What `migrateSource` would do. `known`: the sessions that it would have imported before this one. */
export async function foreseeSource<M extends object>(
  store: SessionStore<M>,
  source: LegacySource,
  { session, operationId }: ReadSource,
  known: Map<string, string>,
): Promise<MigratedFile> {
  const { key } = session
  const earlier = known.get(key)
  const repeated = earlier === operationId ? 'already-there' : 'conflict'
  try {
    const outcome =
      earlier === undefined
        ? await store.importEvents(key, eventsOfSession<M>(session), { operationId, dryRun: true })
        : repeated
    if (outcome === 'imported') known.set(key, operationId)
    return describeOutcome(source, session, outcome, [])
  } catch (error) {
    return describeFailure(source, error, key)
  }
}

export function describeFailure({ file }: LegacySource, error: unknown, key?: string): MigratedFile {
  if (error instanceof Rejection) {
    const named = error.key ?? key
    return {
      file,
      status: error.status,
      ...(named === undefined ? undefined : { key: named }),
      reason: error.message,
      ...(error.code === undefined ? undefined : { code: error.code }),
    }
  }
  if (!isStoreError(error)) throw error
  const { code, message } = error
  return { file, status: 'failed', ...(key === undefined ? undefined : { key }), reason: message, code }
}

function describeOutcome(
  { file }: LegacySource,
  { key, messages, truncated, badLines }: LegacySession,
  status: ImportOutcome,
  renamedTo: readonly string[],
): MigratedFile {
  const reason = status === 'conflict' ? differs(key) : badLines.length > 0 ? describeBadLines(badLines) : undefined
  return {
    file,
    status,
    key,
    messages: messages.length,
    truncated,
    ...(badLines.length > 0 ? { badLines: badLines.map(({ line }) => line) } : undefined),
    ...(renamedTo.length > 0 ? { renamedTo } : undefined),
    ...(reason === undefined ? undefined : { reason }),
    ...(status === 'conflict' ? { code: 'CONFLICT' as const } : undefined),
  }
}

function differs(key: string): string {
  return `The store already has, or had, a session ${JSON.stringify(key)} with other contents; it was not changed. Compare the two, then rename the file or erase the session.`
}

function describeBadLines(badLines: readonly { readonly line: number }[]): string {
  const lines = badLines.map(({ line }) => line)
  const named = lines.slice(0, 10).join(', ') + (lines.length > 10 ? ` and ${lines.length - 10} more` : '')
  return `No messages: line ${named}. They are kept in the session's log as a note, and in the original file.`
}
