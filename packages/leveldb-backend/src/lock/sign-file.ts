import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { fileSystemType, isAlive } from '@turnlog/core/life-sign'

import { LOCK_FILE } from './claims.ts'

const SIGN = `${LOCK_FILE}.alive-`
const NAME = /^turnlog\.lock\.alive-[0-9a-f]+$/

/** Where the owner with this claim gives its sign of life. */
export function signFile(directory: string, claim: string): string {
  return join(directory, `${SIGN}${claim}`)
}

/**
 * Those of owners that were killed. Others give theirs before they ask for the lock, and need it if they get it later: a
 * name that is not whole is of one who does not listen yet.
 */
export async function removeEndedSigns(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (!NAME.test(name)) continue
    const file = join(directory, name)
    if ((await isAlive(file, fileSystemType(directory))) === false) rmSync(file, { force: true })
  }
}
