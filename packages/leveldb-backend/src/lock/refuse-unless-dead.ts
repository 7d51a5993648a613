import { join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import { checkOwner } from '@turnlog/storage-kit'

import type { Found } from './claims.ts'
import { LOCK_FILE } from './claims.ts'

/**
 * Whoever is not refused here is not alone for certain: the kernel has the last word.
 *
 * @throws `LOCKED` if the owner lives, or might
 */
export async function refuseUnlessDead(directory: string, { file, record: owner }: Found): Promise<void> {
  if (owner === undefined) return
  const verdict = await checkOwner(owner, file)
  if (verdict === 'dead') return
  const lock = join(directory, LOCK_FILE)
  const who = `process ${owner.pid} on ${owner.host} since ${owner.since}`
  throw new StoreError(
    'LOCKED',
    verdict === 'alive'
      ? `The store in ${directory} is in use by ${who}. Close it there, or use another directory.`
      : `The store in ${directory} was opened by ${who}, and from here it cannot be seen whether that process still runs. If it does not, or if this is a copy of a store, delete ${lock} and try again.`,
    { file: lock },
  )
}
