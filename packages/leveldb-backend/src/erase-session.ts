import { StoreError } from '@turnlog/core/backend'

import type { Database } from './database.ts'
import type { Change, GroupCommit } from './group-commit.ts'
import { rowSeqs } from './row-seqs.ts'
import type { SessionState } from './session-state.ts'

/**
 * Deletes the rows of a session and then its bytes. `state` is idle and marked as being erased.
 *
 * LevelDB keeps deleted values in its log and tables until a compaction meets them together with the deletion. The
 * first round writes the deletions and compacts. If values and deletions were in memory together, they are written to
 * one table that nothing compacts again, possibly at the lowest level; a second round of deletions lands above it and
 * takes it along. Iterators that are older than the deletions would keep the values alive, so all are taken back.
 */
export async function eraseSession(database: Database, commit: GroupCommit, state: SessionState): Promise<void> {
  const { keys, settled } = state
  if (settled === undefined) return
  const deletes = await rowSeqs(database, keys, { from: 0, to: Number.MAX_SAFE_INTEGER, limit: Infinity })
  const change: Change = { state, after: undefined, puts: [], deletes, sessions: -1, bytes: deletes.length * 16 }
  await commit.add(change)
  await compactAway(database, state, deletes)
  await commit.add({ ...change, sessions: 0 })
  await compactAway(database, state, deletes)
}

async function compactAway(database: Database, { keys }: SessionState, seqs: readonly number[]): Promise<void> {
  await database.release()
  await database.compact(keys.head, keys.head)
  await database.compact(keys.eventCopy(seqs[0] ?? 0), keys.eventCopy(seqs.at(-1) ?? 0))
}

export function eraseConflict(session: string, expected: number, actual: number): StoreError {
  return new StoreError(
    'CONFLICT',
    `Cannot erase session ${JSON.stringify(session)}: expected version ${expected}, found ${actual}. Read again and retry.`,
    { session, expected, actual },
  )
}
