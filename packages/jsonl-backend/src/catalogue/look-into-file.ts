import { join } from 'node:path'
import type { OpenFinding, StoreError } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { missingFile } from '../format/missing-file.ts'
import { toStoreError } from '../to-store-error.ts'
import { recoverFile } from '../recovery/recover-file.ts'
import type { CatalogueOptions, Circumstances } from './catalogue.ts'
import type { Entry, Floor } from './entry.ts'
import { floorOf, parseCommitted } from './entry.ts'

export interface Looked {
  /** `undefined`: there is no such session. */
  readonly entry: Entry | undefined
  readonly findings: readonly OpenFinding[]
}

const NOTHING_SURE: Floor = { last: 0, incarnation: '' }

/** Reads what a file holds, and compares it with what was known of it. Never rejects: a failure is in the entry. */
export async function lookIntoFile(
  { fileSystem, directory, write }: CatalogueOptions,
  name: string,
  old: Entry | undefined,
  { alone, lossy }: Circumstances,
): Promise<Looked> {
  const path = join(directory, name)
  const known = old === undefined ? undefined : floorOf(old)
  try {
    const { committed, stat, findings } = await recoverFile(fileSystem, { path, name, known, lossy, write })
    if (committed === undefined) {
      await removeIfThere(fileSystem, path)
      return { entry: undefined, findings }
    }
    // A tail that is being written now must be looked at again, so its size is not remembered.
    const isWhole = committed.size === stat.size
    const floor = write || alone ? undefined : (known ?? NOTHING_SURE)
    return { entry: { stat: isWhole ? stat : undefined, committed, floor, error: undefined, saved: false }, findings }
  } catch (error) {
    // What is known stays: it is the proof that something was lost.
    const failed = (failure: StoreError): Looked => ({
      entry: {
        stat: old?.stat,
        committed: old?.committed,
        floor: old?.floor,
        error: failure,
        saved: old?.saved ?? false,
      },
      findings: [],
    })
    if (systemCode(error) !== 'ENOENT') return failed(isStoreError(error) ? error : toStoreError(error, 'read', path))
    if (old?.isLost === true) return { entry: old, findings: [] }
    // Beside a writer it was erased; the owner itself would know of that.
    if (!write || old?.committed === undefined) return { entry: undefined, findings: [] }
    const { session, head } = parseCommitted(old)
    return failed(missingFile(path, session, head.last))
  }
}
