import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'

import { judgeProcess, processIdentity } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

export const LOCK_FILE = 'turnlog.lock'

interface LockRecord extends ProcessIdentity {
  readonly since: string
  /** Names this claim, so that exactly one process can take over from it. */
  readonly claim: string
}

interface Found {
  readonly file: string
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
 * claim, `turnlog.lock.<claim>` is the claim that follows it. The winner then puts its own record in the first place.
 */
export class StoreLock {
  readonly #directory: string
  readonly #claim: string
  /** The owner was dead; its lock was taken over. */
  readonly isTakenOver: boolean

  private constructor(directory: string, claim: string, isTakenOver: boolean) {
    this.#directory = directory
    this.#claim = claim
    this.isTakenOver = isTakenOver
  }

  /** `directory` is a real path. @throws `LOCKED`, `IO` */
  static acquire(directory: string): StoreLock {
    const locations = openLocations()
    if (locations.has(directory)) throw lockedHere(directory)
    locations.add(directory)
    const claim = randomBytes(8).toString('hex')
    try {
      return new StoreLock(directory, claim, acquireClaim(directory, claim))
    } catch (error) {
      locations.delete(directory)
      if (isStoreError(error)) throw error
      // It may have failed with the lock in our hands, and we live: nobody could ever take it over.
      ignoreFailure(() => withdraw(directory, claim))
      throw lockFailed(directory, error)
    }
  }

  /** For a reader that leaves no trace. @throws `LOCKED` if somebody has the store open or might have. */
  static check(directory: string): void {
    if (openLocations().has(directory)) throw lockedHere(directory)
    const found = lastClaim(directory)
    if (found?.record !== undefined) refuseUnlessDead(directory, found.record)
  }

  /** @throws `IO` if the file stays behind: then nobody can open the store until this process has ended */
  release(): void {
    try {
      withdraw(this.#directory, this.#claim)
    } catch (error) {
      throw isStoreError(error) ? error : lockFailed(this.#directory, error)
    } finally {
      openLocations().delete(this.#directory)
    }
  }
}

function withdraw(directory: string, claim: string): void {
  if (lastClaim(directory)?.record?.claim === claim) unlinkIfThere(join(directory, LOCK_FILE))
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

/** Whether a dead owner's lock was in the way. */
function acquireClaim(directory: string, claim: string): boolean {
  const record: LockRecord = {
    ...processIdentity(),
    since: new Date().toISOString(),
    claim,
  }
  const file = join(directory, LOCK_FILE)
  const own = `${file}.new-${claim}`
  writeFileSync(own, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' })
  try {
    for (;;) {
      const found = lastClaim(directory)
      if (found === undefined) {
        if (tryLink(own, file)) return false
        continue
      }
      if (found.record === undefined) {
        renameSync(own, file) // cannot be read, so cannot be followed; LevelDB's kernel lock decides
        return true
      }
      refuseUnlessDead(directory, found.record)
      const next = `${file}.${found.record.claim}`
      if (!tryLink(own, next)) continue
      if (lastClaim(directory)?.record?.claim === claim) {
        renameSync(own, file)
        unlinkIfThere(next)
        return true
      }
      unlinkIfThere(next) // the claim that it follows had been replaced in the meantime
    }
  } finally {
    ignoreFailure(() => unlinkIfThere(own)) // left behind, it is in nobody's way
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
    found = { file, record }
    if (record === undefined) return found
    file = `${join(directory, LOCK_FILE)}.${record.claim}`
  }
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

function refuseUnlessDead(directory: string, owner: LockRecord): void {
  const state = judgeProcess(owner, processIdentity())
  if (state === 'dead') return
  const who = `process ${owner.pid} on ${owner.host} since ${owner.since}`
  throw new StoreError(
    'LOCKED',
    state === 'alive'
      ? `The store in ${directory} is in use by ${who}. Close it there, or use another directory.`
      : `The store in ${directory} was opened by ${who}, and from here it cannot be seen whether that process still runs. If it does not, delete ${join(directory, LOCK_FILE)} and try again.`,
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
