import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

import { SET_ASIDE } from './files/store-files.ts'
import type { Change, GroupCommit } from './group-commit.ts'
import type { OpenedStore } from './opened-store.ts'
import { rowSeqs } from './row-seqs.ts'
import type { SessionState } from './session-state.ts'

/**
 * Deletes the rows of a session and then its bytes. `state` is idle and marked as being erased.
 *
 * LevelDB keeps deleted values in its log and tables until a compaction meets them together with the deletion. The
 * first round writes the deletions and compacts. If values and deletions were in memory together, they are written to
 * one table that nothing compacts again, possibly at the lowest level; a second round of deletions lands above it and
 * takes it along. Iterators that are older than the deletions would keep the values alive, so all are taken back.
 *
 * Then only the key is left, in the MANIFEST: in the history of tables, which reopening drops, and as the place where
 * the next compaction of a level begins, which is taken out.
 */
export async function eraseSession(store: OpenedStore, commit: GroupCommit, state: SessionState): Promise<void> {
  const { keys, settled } = state
  if (settled === undefined) return
  const { database, directory } = store
  const deletes = await rowSeqs(database, keys, { from: 0, to: Number.MAX_SAFE_INTEGER, limit: Infinity })
  const change: Change = { state, after: undefined, puts: [], deletes, sessions: -1, bytes: deletes.length * 16 }
  const start = keys.eventCopy(deletes[0] ?? 0)
  const end = keys.eventCopy(deletes.at(-1) ?? 0)
  for (const sessions of [-1, 0] as const) {
    await commit.add({ ...change, sessions })
    await database.release()
    await database.compact(keys.head, keys.head)
    await database.compact(start, end)
  }
  store.reopenWithoutTraces()
  await commit.add({ ...change, deletes: [], sessions: 0, keepsHead: true })
  // LevelDB's diary quotes keys, and goes on without its file. What was set aside cannot be searched.
  for (const name of ['LOG', 'LOG.old', SET_ASIDE]) await rm(join(directory, name), { recursive: true, force: true })
}

export function eraseConflict(session: string, expected: number, actual: number): StoreError {
  return new StoreError(
    'CONFLICT',
    `Cannot erase session ${JSON.stringify(session)}: expected version ${expected}, found ${actual}. Read again and retry.`,
    { session, expected, actual },
  )
}
