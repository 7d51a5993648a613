import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import {
  fileIdentity,
  needsLivenessSocket,
  openLivenessSocket,
  ownerText,
  processIdentity,
  removeStaleSockets,
  socketFile,
} from '@turnlog/storage-kit'
import type { LivenessSocket } from '@turnlog/storage-kit'

import { lastClaim, linkClaim, LOCK_FILE, withdrawClaim } from './claims.ts'
import { findLevelOwner } from './find-level-owner.ts'
import { refuseUnlessDead } from './refuse-unless-dead.ts'

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
  readonly socket: LivenessSocket | undefined
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
 * see that the owner is dead although the process lives. In a container the owner also opens a liveness socket, because
 * the container that is started after it does not see its process.
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
    let socket: LivenessSocket | undefined
    try {
      if (needsLivenessSocket()) socket = await openLivenessSocket(socketFile(directory, claim))
      descriptor = openSync(draft, 'wx', 0o600)
      const since = new Date().toISOString()
      writeFileSync(descriptor, ownerText({ ...processIdentity(), since, claim, ...fileIdentity(draft) }))
      const place = await linkClaim(directory, claim, draft, (found) => refuseUnlessDead(directory, found))
      await refuseIfOpen(directory)
      if (place !== file) {
        renameSync(draft, file)
        rmSync(place, { force: true })
      }
      await removeStaleSockets(directory)
      return new StoreLock(directory, { claim, descriptor, socket }, place !== file)
    } catch (error) {
      ignoreFailure(() => rmSync(draft, { force: true }))
      // With the claim left in its place, and we live, nobody could ever take it over.
      ignoreFailure(() => withdrawClaim(directory, claim))
      socket?.close(descriptor !== undefined && isStillThere(descriptor))
      if (descriptor !== undefined) closeSync(descriptor)
      locations.delete(directory)
      throw isStoreError(error) ? error : lockFailed(directory, error)
    } finally {
      ignoreFailure(() => rmSync(draft, { force: true })) // left behind, it is in nobody's way
    }
  }

  /**
   * For a reader that leaves no trace.
   *
   * @returns the claim of a dead owner
   * @throws `LOCKED` if somebody has the store open or might have
   */
  static async check(directory: string): Promise<string | undefined> {
    if (openLocations().has(directory)) throw lockedHere(directory)
    const found = lastClaim(directory)
    if (found !== undefined) await refuseUnlessDead(directory, found)
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
    const { claim, descriptor, socket } = this.#held
    try {
      withdrawClaim(this.#directory, claim)
    } catch (error) {
      throw isStoreError(error) ? error : lockFailed(this.#directory, error)
    } finally {
      socket?.close(isStillThere(descriptor))
      closeSync(descriptor)
      openLocations().delete(this.#directory)
    }
  }
}

/**
 * Whether the lock has a name somewhere: it could not be removed, or its directory was moved. Then its liveness
 * socket has to stay, without which nobody in another container could tell that its owner is dead.
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
