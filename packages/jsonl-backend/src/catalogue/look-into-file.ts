import { join } from 'node:path'
import type { OpenFinding } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { toStoreError } from '../format/to-store-error.ts'
import { recoverFile } from '../session/recover-file.ts'
import type { CatalogueOptions } from './catalogue.ts'
import type { Entry } from './entry.ts'
import { parseCommitted } from './entry.ts'

export interface Looked {
  /** `undefined`: there is no such session. */
  readonly entry: Entry | undefined
  readonly findings: readonly OpenFinding[]
}

/** Reads what a file holds, and compares it with what was known of it. Never rejects: a failure is in the entry. */
export async function lookIntoFile(
  { fileSystem, directory, write }: CatalogueOptions,
  name: string,
  old: Entry | undefined,
  lossy: boolean,
): Promise<Looked> {
  const path = join(directory, name)
  const known = old?.committed === undefined ? {} : { known: parseCommitted(old).head }
  try {
    const { committed, stat, findings } = await recoverFile(fileSystem, { path, name, lossy, write, ...known })
    if (committed === undefined) {
      await removeIfThere(fileSystem, path)
      return { entry: undefined, findings }
    }
    // A tail that is being written now must be looked at again, so its size is not remembered.
    const isWhole = committed.size === stat.size
    return { entry: { stat: isWhole ? stat : undefined, committed, error: undefined, saved: false }, findings }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { entry: old?.isLost === true ? old : undefined, findings: [] }
    const failure = isStoreError(error) ? error : toStoreError(error, 'read', path)
    return { entry: { stat: undefined, committed: old?.committed, error: failure, saved: false }, findings: [] }
  }
}
