import { readdirSync, readFileSync, statSync } from 'node:fs'

const DESCRIPTORS = '/proc/self/fd'

/**
 * Whether any thread of this process has a file open; `undefined` where the system does not say. The file itself is not
 * opened: to close LevelDB's `LOCK` again would release the lock.
 */
export function isOpenHere(file: string): boolean | undefined {
  return hasDescriptor(file, () => true)
}

/**
 * Whether any thread of this process has a lock on a file; `undefined` where the system does not say. To have it open is
 * not enough: LevelDB's descriptors are inherited by every child that its process starts, and locks are not.
 */
export function isLockedHere(file: string): boolean | undefined {
  return hasDescriptor(file, (name) => /^lock:/m.test(readFileSync(`/proc/self/fdinfo/${name}`, 'latin1')))
}

function hasDescriptor(file: string, isMeant: (name: string) => boolean): boolean | undefined {
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
      return dev === wanted.dev && ino === wanted.ino && isMeant(name)
    } catch {
      return false // closed since: the listing itself was one of them
    }
  })
}
