import { readdirSync, statSync } from 'node:fs'

const DESCRIPTORS = '/proc/self/fd'

/**
 * Whether any thread of this process has a file open; `undefined` where the system does not say. The file itself is not
 * opened: to close LevelDB's `LOCK` again would release the lock.
 */
export function isOpenHere(file: string): boolean | undefined {
  const wanted = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (wanted === undefined) return false
  let names: readonly string[]
  try {
    names = readdirSync(DESCRIPTORS)
  } catch {
    return undefined // there is no /proc here
  }
  return names.some((name) => {
    try {
      const { dev, ino } = statSync(`${DESCRIPTORS}/${name}`, { bigint: true })
      return dev === wanted.dev && ino === wanted.ino
    } catch {
      return false // closed since: the listing itself was one of them
    }
  })
}
