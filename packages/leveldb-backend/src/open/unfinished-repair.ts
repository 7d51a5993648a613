import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'

import { StoreError } from '@turnlog/core/backend'

/** As `repair` writes the time. A directory that somebody else has named so is none of ours. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z$/

/** Where a repair of that time makes the new store. */
export function repairedPath(directory: string, time: string): string {
  return `${directory}.repaired-${time}`
}

/** Where it puts the old one. */
export function damagedPath(directory: string, time: string): string {
  return `${directory}.damaged-${time}`
}

/**
 * To be called where there is no store, before one is made: a repair that was killed between its two renames has moved
 * the store away, and not put the new one there.
 *
 * @throws `CORRUPT`
 */
export function refuseUnfinishedRepair(directory: string): void {
  const time = timesOfRepairs(directory).find((each) => existsSync(damagedPath(directory, each)))
  if (time === undefined) return
  const repaired = repairedPath(directory, time)
  const first = existsSync(directory) ? `Remove ${directory}, which holds nothing. Then rename` : 'Rename'
  throw new StoreError(
    'CORRUPT',
    `A repair of ${directory} was broken off at its last step, and no store is in that place. ${first} ${repaired} to ${directory} to go on with the repaired store, or ${damagedPath(directory, time)} to have the damaged one back.`,
    { file: repaired },
  )
}

/** What repairs have left that never came to their last step. The store has stayed in its place, and nobody needs it. */
export function abandonedRepairs(directory: string): readonly string[] {
  return timesOfRepairs(directory)
    .filter((time) => !existsSync(damagedPath(directory, time)))
    .map((time) => repairedPath(directory, time))
}

function timesOfRepairs(directory: string): readonly string[] {
  const parent = dirname(directory)
  const prefix = basename(repairedPath(directory, ''))
  const names = existsSync(parent) ? readdirSync(parent) : []
  const times = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  return times.filter((time) => TIME.test(time))
}
