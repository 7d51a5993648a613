import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'

import { findTraces } from '../files/find-traces.ts'
import { SET_ASIDE } from '../files/store-files.ts'
import { deletionOf } from '../append/group-commit.ts'
import type { GroupCommit } from '../append/group-commit.ts'
import { fromLevel } from '../database/to-store-error.ts'
import type { WritableStore } from '../open/open-to-write.ts'
import { rowSeqs } from '../read/row-seqs.ts'
import type { CachedSession } from '../cache/cached-session.ts'

/** Twice is enough unless LevelDB moves tables meanwhile. */
const MAX_ROUNDS = 6
/** LevelDB's own text log: it quotes keys, and LevelDB goes on without its file. */
const TEXT_LOGS = ['LOG', 'LOG.old']

/**
 * Deletes the rows of a session and then its bytes. `state` is idle and marked as being erased.
 *
 * LevelDB keeps deleted values in its log and tables until a compaction meets them together with the deletion. The
 * first round writes the deletions and compacts. If values and deletions were in memory together, they are written to
 * one table that nothing compacts again, possibly at the lowest level; a second round of deletions lands above it and
 * takes it along. Rows that were trimmed or sealed earlier may be there too, so the deletions span all keys of the
 * session. Iterators that are older than the deletions would keep the values alive, so all are revoked.
 *
 * Then only the key is left, in the MANIFEST: in the history of tables, which reopening drops, and as the place where
 * the next compaction of a level begins, which is taken out. At last all files are searched.
 *
 * The session is gone with the first deletions, and what comes after them can fail, or the process can die. So a session
 * that does not exist is searched for as well: to erase it again finishes what was begun.
 *
 * @throws `IO` if something is left after all
 */
export async function eraseSession(store: WritableStore, commit: GroupCommit, state: CachedSession): Promise<void> {
  try {
    await eraseRows(store, commit, state)
  } catch (error) {
    throw isStoreError(error) ? error : fromLevel(error, 'erase a session', store.directory)
  }
}

async function eraseRows(store: WritableStore, commit: GroupCommit, state: CachedSession): Promise<void> {
  const { keys, settled } = state
  const { database, directory } = store
  const start = keys.eventCopy(0)
  const end = keys.eventCopy(Number.MAX_SAFE_INTEGER)
  const prefixes = [keys.head, start.subarray(0, -8)]
  // What was set aside cannot be searched. The torn end of an erasure that was interrupted may be there too.
  await remove(directory, [SET_ASIDE, ...TEXT_LOGS])
  if (settled === undefined && (await findTraces(directory, prefixes)) === undefined) return
  // What can be known before must not fail after the first deletions.
  await database.prepareToCompact()
  const rows = await rowSeqs(database, keys, { from: 0, to: Number.MAX_SAFE_INTEGER, limit: Infinity })
  const change = deletionOf(state, undefined, [0, ...rows, Number.MAX_SAFE_INTEGER])
  let left: string | undefined
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    await commit.add(round === 1 && settled !== undefined ? { ...change, sessions: -1 } : change)
    await database.revokeLeases()
    await database.compact(keys.head, keys.head)
    await database.compact(start, end)
    if (round === 1) continue
    store.fence.closeToRemoveTraces()
    await commit.add({ ...change, deletes: [], keepsHead: true })
    left = await findTraces(directory, prefixes)
    if (left === undefined) break
  }
  await remove(directory, TEXT_LOGS)
  if (left !== undefined) {
    throw new StoreError(
      'IO',
      `Session ${JSON.stringify(state.session)} is erased, but ${left} still holds bytes of it. Erase it again.`,
      { session: state.session, file: left },
    )
  }
}

async function remove(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(directory, name), { recursive: true, force: true })
}
