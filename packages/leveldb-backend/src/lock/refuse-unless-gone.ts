import { join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import { isAlive } from '@turnlog/core/life-sign'

import type { Found } from './claims.ts'
import { LOCK_FILE } from './claims.ts'
import { isAnotherFile } from './file-identity.ts'
import { isOpenHere } from './is-open-here.ts'
import { judgeProcess, processIdentity } from './process-identity.ts'
import { signFile } from './sign-file.ts'

/**
 * Whoever is not refused here is not alone for certain: the kernel has the last word.
 *
 * @throws `LOCKED` if the owner lives, or might
 */
export async function refuseUnlessGone(directory: string, { file, claim, record: owner }: Found): Promise<void> {
  if (owner === undefined) return
  const self = processIdentity()
  let state = judgeProcess(owner, self)
  if (state === 'dead') return
  if (state === 'alive') {
    if (owner.pid === self.pid && isOpenHere(file) === false) return // one of our threads has ended
    // A copy or a snapshot of a store that is open. The numbers of files mean nothing if those of the machine differ.
    if (self.boot !== '' && isAnotherFile(file, owner)) return
  }
  // In another container of this machine. It was given before the lock was taken and ends after it.
  if (state === 'unknown' && self.boot !== '' && owner.boot === self.boot) {
    const lives = await isAlive(signFile(directory, claim), owner.fileSystem)
    if (lives === false) return
    if (lives === true) state = 'alive'
  }
  const lock = join(directory, LOCK_FILE)
  const who = `process ${owner.pid} on ${owner.host} since ${owner.since}`
  throw new StoreError(
    'LOCKED',
    state === 'alive'
      ? `The store in ${directory} is in use by ${who}. Close it there, or use another directory.`
      : `The store in ${directory} was opened by ${who}, and from here it cannot be seen whether that process still runs. If it does not, or if this is a copy of a store, delete ${lock} and try again.`,
    { file: lock },
  )
}
