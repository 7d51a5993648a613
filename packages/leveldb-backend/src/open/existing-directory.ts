import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

import { refuseUnfinishedRepair } from './unfinished-repair.ts'

/** The real path of a directory that is only looked at, so never made. @throws `NOT_FOUND`, `CORRUPT` */
export function existingDirectory(path: string, advice?: string): string {
  try {
    return realpathSync(resolve(path))
  } catch (error) {
    refuseUnfinishedRepair(resolve(path))
    throw noStore(path, advice, error)
  }
}

export function noStore(path: string, advice?: string, cause?: unknown): StoreError {
  const text = `There is no store in ${JSON.stringify(path)}.`
  return new StoreError(
    'NOT_FOUND',
    advice === undefined ? text : `${text} ${advice}`,
    cause === undefined ? {} : { cause },
  )
}
