import { createHash, randomBytes } from 'node:crypto'
import { closeSync, linkSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'

import { fileIdentity, isAnotherFile } from './file-identity.ts'
import type { FileIdentity } from './file-identity.ts'
import { findLevelOwner } from './find-level-owner.ts'
import { isOpenHere } from './is-open-here.ts'
import { judgeProcess, processIdentity } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

export const LOCK_FILE = 'turnlog.lock'

interface LockRecord extends ProcessIdentity, Partial<FileIdentity> {
  readonly since: string
  /** Names this claim, so that exactly one process can take over from it. */
  readonly claim: string
}

interface Found {
  readonly file: string
  /** What follows it is named after this. Of a file that cannot be understood it is made from what is in it. */
  readonly claim: string
  /** `undefined` if it cannot be understood, which a crash cannot cause: files appear whole or not at all. */
  readonly record: LockRecord | undefined
}

const REGISTRY = Symbol.for('turnlog.leveldb.locations')

/** Real paths that are open in this process, shared by all copies of this package in it. */
function openLocations(): Set<string> {
  const holder = globalThis as { [REGISTRY]?: Set<string> }
  return (holder[REGISTRY] ??= new Set())
}

/**
 * The exclusive right to a directory. LevelDB has a lock of its own, but any second open in the same process, and even
 * reading its `LOCK` file there, releases it. So this one comes first and such an open never reaches LevelDB.
 *
 * A dead owner's lock is taken over by linking the next claim, which only one process can do: `turnlog.lock` names a
 * claim, `turnlog.lock.<claim>` is the claim that follows it. The winner asks the kernel whether somebody has LevelDB
 * open all the same: lock files can be deleted, overwritten or copied. Only then it puts its own record in the first
 * place; who is refused leaves everything as it was.
 *
 * The file stays open as long as the lock is held. When a thread ends Node closes what it had open, so the others can
 * see that the owner is gone although the process lives.
 */
export class StoreLock {
  readonly #directory: string
  readonly #claim: string
  readonly #descriptor: number
  /** The owner was dead; its lock was taken over. */
  readonly isTakenOver: boolean

  private constructor(directory: string, claim: string, descriptor: number, isTakenOver: boolean) {
    this.#directory = directory
    this.#claim = claim
    this.#descriptor = descriptor
    this.isTakenOver = isTakenOver
  }

  /** `directory` is a real path. @throws `LOCKED`, `IO` */
  static async acquire(directory: string): Promise<StoreLock> {
    const locations = openLocations()
    if (locations.has(directory)) throw lockedHere(directory)
    locations.add(directory)
    const claim = randomBytes(8).toString('hex')
    const file = join(directory, LOCK_FILE)
    const draft = `${file}.new-${claim}`
    let descriptor: number | undefined
    try {
      descriptor = openSync(draft, 'wx', 0o600)
      writeFileSync(descriptor, `${JSON.stringify(newRecord(claim, draft))}\n`)
      const place = linkClaim(directory, claim, draft)
      await refuseIfOpen(directory)
      if (place !== file) {
        renameSync(draft, file)
        unlinkIfThere(place)
      }
      return new StoreLock(directory, claim, descriptor, place !== file)
    } catch (error) {
      // With the claim left in its place, and we live, nobody could ever take it over.
      ignoreFailure(() => withdraw(directory, claim))
      if (descriptor !== undefined) closeSync(descriptor)
      locations.delete(directory)
      throw isStoreError(error) ? error : lockFailed(directory, error)
    } finally {
      ignoreFailure(() => unlinkIfThere(draft)) // left behind, it is in nobody's way
    }
  }

  /** For a reader that leaves no trace. @throws `LOCKED` if somebody has the store open or might have. */
  static check(directory: string): void {
    if (openLocations().has(directory)) throw lockedHere(directory)
    const found = lastClaim(directory)
    if (found !== undefined) refuseUnlessGone(directory, found)
  }

  /** @throws `IO` if the file stays behind: then nobody can open the store until this process has ended */
  release(): void {
    try {
      withdraw(this.#directory, this.#claim)
    } catch (error) {
      throw isStoreError(error) ? error : lockFailed(this.#directory, error)
    } finally {
      closeSync(this.#descriptor)
      openLocations().delete(this.#directory)
    }
  }
}

function withdraw(directory: string, claim: string): void {
  const found = lastClaim(directory)
  if (found?.claim === claim) unlinkIfThere(found.file)
}

function ignoreFailure(work: () => void): void {
  try {
    work()
  } catch {
    // An earlier error is being reported, or nothing depends on it.
  }
}

function lockFailed(directory: string, cause: unknown): StoreError {
  const file = join(directory, LOCK_FILE)
  return new StoreError('IO', `Cannot lock or unlock the store in ${directory}. See the cause.`, { file, cause })
}

function newRecord(claim: string, draft: string): LockRecord {
  return { ...processIdentity(), since: new Date().toISOString(), claim, ...fileIdentity(draft) }
}

/** Puts the claim behind the last one. Gives the name that it has there. @throws `LOCKED` */
function linkClaim(directory: string, claim: string, draft: string): string {
  const file = join(directory, LOCK_FILE)
  for (;;) {
    const found = lastClaim(directory)
    if (found !== undefined) refuseUnlessGone(directory, found)
    const place = found === undefined ? file : `${file}.${found.claim}`
    if (!tryLink(draft, place)) continue
    if (lastClaim(directory)?.claim === claim) return place
    unlinkIfThere(place) // the claim that it follows had been replaced in the meantime
  }
}

function lastClaim(directory: string): Found | undefined {
  let file = join(directory, LOCK_FILE)
  let found: Found | undefined
  for (;;) {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return found
      throw new StoreError('IO', `Cannot read the lock file ${file}. See the cause.`, { file, cause: error })
    }
    const record = parseRecord(text)
    found = { file, record, claim: record?.claim ?? claimOfText(file, text) }
    file = `${join(directory, LOCK_FILE)}.${found.claim}`
  }
}

/** With the name in it: if what follows cannot be understood either, it shall not follow itself. */
function claimOfText(file: string, text: string): string {
  return createHash('sha256')
    .update(`${basename(file)}\n${text}`)
    .digest('hex')
    .slice(0, 16)
}

function parseRecord(text: string): LockRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<LockRecord> | null
    const isWhole = typeof record?.pid === 'number' && /^[0-9a-f]{16}$/.test(record.claim ?? '')
    return isWhole ? (record as LockRecord) : undefined
  } catch {
    return undefined // the caller decides what an unreadable lock means
  }
}

/** Whoever is not refused here is not alone for certain: the kernel has the last word. */
function refuseUnlessGone(directory: string, { file, record: owner }: Found): void {
  if (owner === undefined) return
  const self = processIdentity()
  const state = judgeProcess(owner, self)
  if (state === 'dead') return
  if (state === 'alive') {
    if (owner.pid === self.pid && isOpenHere(file) === false) return // one of our threads has ended
    // A copy or a snapshot of a store that is open. The numbers of files mean nothing if those of the machine differ.
    if (self.boot !== '' && isAnotherFile(file, owner)) return
  }
  const lock = join(directory, LOCK_FILE)
  const who = `process ${owner.pid} on ${owner.host} since ${owner.since}`
  throw new StoreError(
    'LOCKED',
    state === 'alive'
      ? `The store in ${directory} is in use by ${who}. Close it there, or use another directory.`
      : `The store in ${directory} was opened by ${who}, and from here it cannot be seen whether that process still runs. If it does not, or if this is a copy of a store, delete ${lock} and try again.`,
    { file: lock },
  )
}

async function refuseIfOpen(directory: string): Promise<void> {
  const owner = await findLevelOwner(directory)
  if (owner === 'this process') throw lockedHere(directory)
  if (owner === undefined) return
  throw new StoreError(
    'LOCKED',
    `The store in ${directory} is in use by another process, although its lock file does not say so. Close it there, or use another directory.`,
    { file: join(directory, LOCK_FILE) },
  )
}

function lockedHere(directory: string): StoreError {
  return new StoreError(
    'LOCKED',
    `The store in ${directory} is already open in this process (${process.pid}). Use that one, or close it first.`,
    { file: join(directory, LOCK_FILE) },
  )
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
