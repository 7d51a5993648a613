import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

import { isLockedHere } from '@turnlog/storage-kit'

import { levelCode, rootCause } from '../database/to-store-error.ts'
import { loadLevel } from '../database/load-level.ts'

const PROBE = 'turnlog.lock.probe-'

/**
 * Who has LevelDB open in a directory. The kernel knows it for certain, whatever became of our own lock file, and it has
 * to be asked before anything is changed: what looks like a torn end may be what the owner is just writing.
 *
 * Node has no file locks, so LevelDB asks: it opens a directory without a database whose `LOCK` is a link to the store's.
 * It takes the lock, finds nothing there, and lets go. The trap: with that it lets go of every lock that this process
 * has on the file. So first of all this process must have none; where the system does not say, LevelDB itself,
 * when it is opened, still refuses.
 *
 * To be called by one process at a time.
 *
 * @throws what the file system says if it cannot be asked
 */
export async function findLevelOwner(
  directory: string,
  makeLink: typeof symlinkSync = symlinkSync,
): Promise<'this process' | 'another process' | undefined> {
  const lock = join(directory, 'LOCK')
  if (!existsSync(lock)) return undefined // LevelDB was never here
  if (isLockedHere(lock) === true) return 'this process'
  for (const name of readdirSync(directory)) {
    if (name.startsWith(PROBE)) rmSync(join(directory, name), { recursive: true, force: true }) // somebody was killed
  }
  const probe = mkdtempSync(join(directory, PROBE))
  try {
    const link = join(probe, 'LOCK')
    if (!tryLink(makeLink, link)) return undefined
    const problem = await openNothing(probe)
    readlinkSync(link) // if it was taken away meanwhile, LevelDB has asked about another file
    if (levelCode(problem) === 'LEVEL_LOCKED') return 'another process'
    if (/create_if_missing/.test(String(rootCause(problem)))) return undefined
    throw problem
  } finally {
    rmSync(probe, { recursive: true, force: true })
  }
}

/** Some file systems have no links, and Windows allows them to few: then LevelDB itself refuses when it is opened. */
function tryLink(makeLink: typeof symlinkSync, link: string): boolean {
  try {
    makeLink(join('..', 'LOCK'), link)
    return true
  } catch {
    return false
  }
}

async function openNothing(directory: string): Promise<unknown> {
  const { ClassicLevel } = loadLevel()
  const level = new ClassicLevel(directory, { createIfMissing: false })
  try {
    await level.open()
  } catch (error) {
    return error
  }
  await level.close()
  return new Error(`There is a database in ${directory}.`)
}
