import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { fileSystemType } from './file-system-type.ts'
import { probeLiveness } from './liveness-socket.ts'

const PREFIX = 'turnlog.lock.alive-'
/** A name that goes on after the claim is of an owner that does not listen yet. */
const NAME = /^turnlog\.lock\.alive-[0-9a-f]+$/

/** Where the owner with this claim listens. */
export function socketFile(directory: string, claim: string): string {
  return join(directory, `${PREFIX}${claim}`)
}

/**
 * Removes the sockets of owners that were killed. Others stay: a process that is about to ask for the lock listens
 * already, and has to be found if it gets the lock later.
 */
export async function removeStaleSockets(directory: string): Promise<void> {
  try {
    const fileSystem = fileSystemType(directory)
    for (const name of readdirSync(directory)) {
      const file = join(directory, name)
      if (NAME.test(name) && (await probeLiveness(file, fileSystem)) === false) rmSync(file, { force: true })
    }
  } catch {
    // What stays behind does no harm, and the next owner tries again.
  }
}
