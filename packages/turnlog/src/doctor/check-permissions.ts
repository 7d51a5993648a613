import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatNumberOf } from '../output/quantities.ts'
import type { Check } from './check.ts'

const OTHERS = 0o077

/** Who can read the store, and who can write to it. `access` is asked about this user, and throws. */
export function checkPermissions(place: string, access: typeof accessSync = accessSync): Check[] {
  const name = 'permissions'
  const isDirectory = statSync(place, { throwIfNoEntry: false })?.isDirectory() !== false
  try {
    access(place, isDirectory ? constants.R_OK | constants.X_OK : constants.R_OK)
  } catch {
    return [{ name, status: 'problem', message: `This user cannot read ${place}.` }]
  }
  const findings: Check[] = []
  try {
    access(place, constants.W_OK)
  } catch {
    findings.push({ name, status: 'problem', message: 'This user can read the store, but not write to it.' })
  }
  const files = isDirectory ? readdirSync(place).map((file) => join(place, file)) : [`${place}-wal`, `${place}-shm`]
  const open = [place, ...files].filter(
    (path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0,
  )
  // Windows has no such bits; there the answer of stat means nothing.
  if (process.platform !== 'win32' && (statSync(place).mode & OTHERS) !== 0) {
    const advice = `Other users of this machine can read conversations: chmod -R go-rwx ${place}`
    findings.push({
      name,
      status: 'notice',
      message: `${formatNumberOf(open.length, 'path')} accessible to other users. ${advice}`,
    })
  }
  return findings.length > 0 ? findings : [{ name, status: 'ok', message: 'only for its owner' }]
}
