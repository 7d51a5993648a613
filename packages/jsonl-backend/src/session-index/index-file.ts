import { join } from 'node:path'
import type { OpenFinding, StoreError } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { missingFile } from '../format/missing-file.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import { recoverFile } from '../recovery/recover-file.ts'
import type { IndexOptions, ScanMode } from './session-index.ts'
import type { Entry, LastAcknowledged } from './entry.ts'
import { lastAcknowledgedOf, parseCommitted } from './entry.ts'

export interface IndexedFile {
  /** `undefined`: there is no such session. */
  readonly entry: Entry | undefined
  readonly findings: readonly OpenFinding[]
}

const NOTHING_SURE: LastAcknowledged = { last: 0, incarnation: '' }

/** Reads what a file holds, and compares it with what was known of it. Never rejects: a failure is in the entry. */
export async function indexFile(
  { fileSystem, directory, write }: IndexOptions,
  name: string,
  old: Entry | undefined,
  { hasNoWriter, mayHaveLost }: ScanMode,
): Promise<IndexedFile> {
  const path = join(directory, name)
  const known = old === undefined ? undefined : lastAcknowledgedOf(old)
  try {
    const { committed, stat, findings } = await recoverFile(fileSystem, { path, name, known, mayHaveLost, write })
    if (committed === undefined) {
      await removeIfThere(fileSystem, path)
      return { entry: undefined, findings }
    }
    // A tail that is being written must be inspected again, so its stat is not remembered.
    const isWhole = committed.size === stat.size
    const lastAcknowledged = write || hasNoWriter ? undefined : (known ?? NOTHING_SURE)
    return {
      entry: { stat: isWhole ? stat : undefined, committed, lastAcknowledged, error: undefined, saved: false },
      findings,
    }
  } catch (error) {
    // Keep what is known: it proves that something was lost.
    const failed = (failure: StoreError): IndexedFile => ({
      entry: {
        stat: old?.stat,
        committed: old?.committed,
        lastAcknowledged: old?.lastAcknowledged,
        error: failure,
        saved: old?.saved ?? false,
      },
      findings: [],
    })
    if (systemCode(error) !== 'ENOENT') return failed(isStoreError(error) ? error : toStoreError(error, 'read', path))
    if (old?.isLost === true) return { entry: old, findings: [] }
    // Beside a writer, a missing file was erased. The writer itself would know about an erasure.
    if (!write || old?.committed === undefined) return { entry: undefined, findings: [] }
    const { session, head } = parseCommitted(old)
    return failed(missingFile(path, session, head.last))
  }
}
