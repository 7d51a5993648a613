import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { LOCK_FILE } from './claims.ts'

const SIGN = `${LOCK_FILE}.alive-`

/** Where the owner with this claim gives its sign of life. */
export function signFile(directory: string, claim: string): string {
  return join(directory, `${SIGN}${claim}`)
}

/** Those of owners that were killed. To be called by the owner, whose own claim this is. */
export function removeOtherSigns(directory: string, claim: string): void {
  const own = `${SIGN}${claim}`
  for (const name of readdirSync(directory)) {
    if (name.startsWith(SIGN) && name !== own) rmSync(join(directory, name), { force: true })
  }
}
