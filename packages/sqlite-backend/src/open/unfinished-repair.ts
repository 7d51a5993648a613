import { existsSync, linkSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

/** The new database of a repair, complete, from before the damaged one goes until it has taken its place. */
export function repairedFile(path: string): string {
  return `${path}.repaired`
}

/** What the damaged database is kept as, with a time behind it; its log has `-wal` at the end. */
export function damagedPrefix(path: string): string {
  return `${path}.damaged-`
}

/** The log of the database may have been taken away: without it SQLite would show an older state. @throws `CORRUPT` */
export function refuseUnfinishedRepair(path: string): void {
  if (!existsSync(repairedFile(path))) return
  throw new StoreError(
    'CORRUPT',
    `A repair of ${path} was interrupted. Run \`turnlog repair\` again before anything else.`,
    {
      file: path,
    },
  )
}

/** Gives the damaged database its log back. */
export function undoUnfinishedRepair(path: string): void {
  if (!existsSync(repairedFile(path))) return
  const { ino } = statSync(path, { bigint: true })
  const prefix = basename(damagedPrefix(path))
  for (const name of readdirSync(dirname(path))) {
    const kept = join(dirname(path), name)
    if (!name.startsWith(prefix) || name.endsWith('-wal') || statSync(kept, { bigint: true }).ino !== ino) continue
    if (existsSync(`${kept}-wal`) && !existsSync(`${path}-wal`)) linkSync(`${kept}-wal`, `${path}-wal`)
  }
  rmSync(repairedFile(path))
}
