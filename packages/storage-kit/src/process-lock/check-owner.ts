import { dirname } from 'node:path'

import { isAnotherFile } from './file-identity.ts'
import { isOpenHere } from './is-open-here.ts'
import { checkProcess } from './check-process.ts'
import type { Verdict } from './check-process.ts'
import { probeLiveness } from './liveness-socket.ts'
import type { LockRecord } from './lock-record.ts'
import { processIdentity } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { socketFile } from './socket-files.ts'

/**
 * Whether the owner of a lock still lives. Every verdict on a lock is made here, for whoever wants to take it over and for
 * whoever only looks.
 *
 * @param file the lock file in which the record was found
 */
export async function checkOwner(
  owner: LockRecord,
  file: string,
  self: ProcessIdentity = processIdentity(),
): Promise<Verdict> {
  const verdict = checkProcess(owner, self)
  if (verdict === 'alive') return isNotHeldByIt(owner, file, self) ? 'dead' : 'alive'
  if (verdict === 'dead' || self.boot === '' || owner.boot !== self.boot) return verdict
  // In another container of this machine. Its socket is opened before the lock is taken and closed after it.
  const answers = await probeLiveness(socketFile(dirname(file), owner.claim), owner.fileSystem)
  if (answers === undefined) return 'unknown'
  return answers ? 'alive' : 'dead'
}

/** Of owners that keep their lock file open, and name it by its numbers: the process lives, and has not this lock. */
function isNotHeldByIt(owner: LockRecord, file: string, self: ProcessIdentity): boolean {
  if (owner.inode === undefined) return false
  if (owner.pid === self.pid && isOpenHere(file) === false) return true // one of our threads has ended
  // A copy or a snapshot of a store that is open. The numbers of files mean nothing if those of the machine differ.
  return self.boot !== '' && isAnotherFile(file, owner)
}
