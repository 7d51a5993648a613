import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { Problem, RepairOptions, RepairReport } from '@turnlog/core/backend'

import { fromLevel } from '../level-error.ts'
import type { CheckedOptions } from '../leveldb-options.ts'
import { LOCK_FILE, StoreLock } from '../store-lock.ts'
import { rebuildStore } from './rebuild-store.ts'

/**
 * Makes a store anew from every row that is whole, in a directory beside it, and then puts it in its place. LevelDB's own
 * repair is never used: it ignores checksums and takes no lock. The damaged directory is kept as it was.
 *
 * @throws `NOT_FOUND`, `LOCKED`, `IO`
 */
export async function repairStore(options: CheckedOptions, { apply = false }: RepairOptions): Promise<RepairReport> {
  const directory = existing(options.path)
  const lock = StoreLock.acquire(directory)
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const made = apply ? `${directory}.repaired-${time}` : mkdtempSync(join(tmpdir(), 'turnlog-repair-'))
  try {
    mkdirSync(made, { recursive: true, mode: 0o700 })
    const actions: Problem[] = []
    await rebuildStore(directory, made, options, (action) => actions.push(action))
    if (!apply) return { applied: false, actions }
    const backup = `${directory}.damaged-${time}`
    renameSync(directory, backup)
    renameSync(made, directory)
    rmSync(join(backup, LOCK_FILE), { force: true })
    return { applied: true, actions, backup }
  } catch (error) {
    throw isStoreError(error) ? error : fromLevel(error, 'repair the store', directory)
  } finally {
    rmSync(made, { recursive: true, force: true })
    lock.release()
  }
}

function existing(path: string): string {
  try {
    return realpathSync(resolve(path))
  } catch (error) {
    throw new StoreError('NOT_FOUND', `There is no store in ${JSON.stringify(path)}.`, { cause: error })
  }
}
