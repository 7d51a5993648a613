import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import { giveLifeSign, isContained } from '@turnlog/core/life-sign'
import type { LifeSign } from '@turnlog/core/life-sign'

import { lastClaim, linkClaim, LOCK_FILE, unlinkIfThere, withdrawClaim } from './claims.ts'
import type { LockRecord } from './claims.ts'
import { fileIdentity } from './file-identity.ts'
import { findLevelOwner } from './find-level-owner.ts'
import { processIdentity } from './process-identity.ts'
import { refuseUnlessGone } from './refuse-unless-gone.ts'
import { removeEndedSigns, signFile } from './sign-file.ts'

const REGISTRY = Symbol.for('turnlog.leveldb.locations')

/** Real paths that are open in this process, shared by all copies of this package in it. */
function openLocations(): Set<string> {
  const holder = globalThis as { [REGISTRY]?: Set<string> }
  return (holder[REGISTRY] ??= new Set())
}

/** What ends with the lock. */
interface Held {
  readonly claim: string
  readonly descriptor: number
  readonly sign: LifeSign | undefined
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
 * see that the owner is gone although the process lives. In a container the owner also gives a sign of life, because the
 * one that is started after it does not see its process.
 */
export class StoreLock {
  readonly #directory: string
  readonly #held: Held
  /** The owner was dead; its lock was taken over. */
  readonly isTakenOver: boolean

  private constructor(directory: string, held: Held, isTakenOver: boolean) {
    this.#directory = directory
    this.#held = held
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
    let sign: LifeSign | undefined
    try {
      if (isContained()) sign = await giveLifeSign(signFile(directory, claim))
      descriptor = openSync(draft, 'wx', 0o600)
      writeFileSync(descriptor, `${JSON.stringify(newRecord(claim, draft))}\n`)
      const place = await linkClaim(directory, claim, draft, (found) => refuseUnlessGone(directory, found))
      await refuseIfOpen(directory)
      if (place !== file) {
        renameSync(draft, file)
        unlinkIfThere(place)
      }
      await removeEndedSigns(directory).catch(() => undefined) // left behind, they are in nobody's way
      return new StoreLock(directory, { claim, descriptor, sign }, place !== file)
    } catch (error) {
      ignoreFailure(() => unlinkIfThere(draft))
      // With the claim left in its place, and we live, nobody could ever take it over.
      ignoreFailure(() => withdrawClaim(directory, claim))
      sign?.end(descriptor !== undefined && isStillThere(descriptor))
      if (descriptor !== undefined) closeSync(descriptor)
      locations.delete(directory)
      throw isStoreError(error) ? error : lockFailed(directory, error)
    } finally {
      ignoreFailure(() => unlinkIfThere(draft)) // left behind, it is in nobody's way
    }
  }

  /**
   * For a reader that leaves no trace.
   *
   * @returns the claim of an owner that is gone
   * @throws `LOCKED` if somebody has the store open or might have
   */
  static async check(directory: string): Promise<string | undefined> {
    if (openLocations().has(directory)) throw lockedHere(directory)
    const found = lastClaim(directory)
    if (found !== undefined) await refuseUnlessGone(directory, found)
    return found?.claim
  }

  /** Whether somebody has opened the store since it was found with this claim. */
  static isTakenSince(directory: string, claim: string | undefined): boolean {
    if (openLocations().has(directory)) return true
    const found = lastClaim(directory)
    return found !== undefined && found.claim !== claim
  }

  /**
   * @throws `IO` if the file stays behind: then of those who see this process only itself can open the store until it has
   *   ended
   */
  release(): void {
    const { claim, descriptor, sign } = this.#held
    try {
      withdrawClaim(this.#directory, claim)
    } catch (error) {
      throw isStoreError(error) ? error : lockFailed(this.#directory, error)
    } finally {
      sign?.end(isStillThere(descriptor))
      closeSync(descriptor)
      openLocations().delete(this.#directory)
    }
  }
}

/**
 * Whether the lock has a name somewhere: it could not be removed, or its directory was moved. Then its sign has to stay,
 * without which nobody in another container could tell that its owner is gone.
 */
function isStillThere(descriptor: number): boolean {
  return fstatSync(descriptor).nlink > 0
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
