import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { checkProcess } from '../process-lock/check-process.ts'
import { parseOwner } from '../process-lock/lock-record.ts'
import { ownerText } from '../process-lock/owner-text.ts'
import { processIdentity } from '../process-lock/process-identity.ts'

const PREFIX = { shadow: 'turnlog-shadow-', repair: 'turnlog-repair-' } as const
const OWNER_FILE = 'turnlog.owner'

/**
 * A temporary directory that nobody else may read, for copies of what is in a store. A process that is killed leaves its
 * own behind, with what was said in it; so it says whose it is, and the next one removes it.
 */
export function makeTemporaryDirectory(purpose: keyof typeof PREFIX): string {
  removeAbandoned()
  const directory = mkdtempSync(join(tmpdir(), PREFIX[purpose]))
  writeFileSync(join(directory, OWNER_FILE), ownerText(processIdentity()), { mode: 0o600 })
  return directory
}

function removeAbandoned(): void {
  const self = processIdentity()
  for (const name of readdirSync(tmpdir())) {
    if (!Object.values(PREFIX).some((prefix) => name.startsWith(prefix))) continue
    const directory = join(tmpdir(), name)
    try {
      // What another user has put there is not to be trusted, and not ours to remove.
      if (lstatSync(directory).uid !== process.getuid?.()) continue
      const owner = parseOwner(readFileSync(join(directory, OWNER_FILE), 'utf8'))
      if (owner !== undefined && checkProcess(owner, self) === 'dead')
        rmSync(directory, { recursive: true, force: true })
    } catch {
      // Just being made or removed, or of an older version: it stays.
    }
  }
}
