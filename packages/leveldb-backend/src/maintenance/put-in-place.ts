import { renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import { syncDirectory } from '@turnlog/storage-kit'

/**
 * Puts the directory `made` in the place of `directory`, which becomes `backup`. Between the two renames there is no
 * store at the path, see `refuseUnfinishedRepair`: so if the second fails, the first is undone.
 *
 * @throws `IO`
 */
export function putInPlace(made: string, directory: string, backup: string): void {
  try {
    renameSync(directory, backup)
  } catch (error) {
    throw cannotMove(directory, error)
  }
  try {
    renameSync(made, directory)
  } catch (error) {
    moveBack(backup, directory)
    throw cannotMove(directory, error)
  }
  syncDirectory(dirname(directory))
}

/** To be asked before the work, which may take long. Only the renames find mounts of the same file system. @throws `IO` */
export function refuseMountPoint(directory: string): void {
  if (statSync(directory).dev !== statSync(dirname(directory)).dev) throw cannotMove(directory)
}

function moveBack(backup: string, directory: string): void {
  try {
    renameSync(backup, directory)
  } catch (cause) {
    throw new StoreError(
      'IO',
      `The store of ${directory} is now in ${backup}, as it was, and cannot be renamed back. Do that before it is opened.`,
      { file: backup, cause },
    )
  }
}

function cannotMove(directory: string, cause?: unknown): StoreError {
  return new StoreError(
    'IO',
    `Cannot put a repaired store in the place of ${directory}: it cannot be renamed, as a mount point cannot. Nothing was changed. Copy it to a directory elsewhere, repair that, and copy the result back.`,
    { file: directory, ...(cause === undefined ? {} : { cause }) },
  )
}
