import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { StoreError } from '@turnlog/core/backend'
import { socketFile } from '@turnlog/storage-kit'
import type { LivenessSocket, LockRecord, ProcessIdentity } from '@turnlog/storage-kit'
import type { FileSystem } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import type { Host } from './host.ts'
import { lockFile, readLock, writeLock } from './lock-file.ts'
import { highestLock, lockNumber } from './lock-number.ts'

/** What `link` says where there are no hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** What taking a lock needs. */
interface Attempt {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly host: Host
  readonly record: LockRecord
  readonly socket: LivenessSocket | undefined
}

/** Why a directory cannot be had, and what to do. */
interface Refusal {
  readonly reason: string
  readonly advice: string
}

/** Whether a writer may have the directory open now. */
export async function hasLiveWriter(fileSystem: FileSystem, directory: string, host: Host): Promise<boolean> {
  const number = highestLock(await fileSystem.list(directory))
  if (number === 0) return false
  const file = lockFile(directory, number)
  const owner = await readLock(fileSystem, file)
  if (owner === undefined || owner === 'gone') return true
  return owner.released !== true && (await host.checkOwner(owner, file)) !== 'dead'
}

/**
 * The one writer of a directory.
 *
 * Node has no `flock`, so the lock is a name: whoever links the next number owns the directory. The content is
 * complete and synced before the name exists, and the highest number is never removed, so that a decision about an
 * older number can never succeed later.
 */
export class DirectoryLock {
  readonly #attempt: Attempt
  readonly #file: string
  /** The dead owner whose lock was taken over. */
  readonly takenFrom: string | undefined
  /** No process ever held this directory. */
  readonly isFirst: boolean

  private constructor(attempt: Attempt, number: number, before: LockRecord | undefined) {
    this.#attempt = attempt
    this.#file = lockFile(attempt.directory, number)
    this.takenFrom = before === undefined || before.released === true ? undefined : describe(before)
    this.isFirst = number === 1
  }

  /** @throws `LOCKED` with who holds it, since when, and what to do */
  static async acquire(fileSystem: FileSystem, directory: string, host: Host): Promise<DirectoryLock> {
    const claimedSince = host.claimed.get(directory)
    if (claimedSince !== undefined) throw lockedHere(directory, claimedSince)
    const now = Date.now()
    host.claimed.set(directory, now)
    const claim = randomBytes(12).toString('hex')
    let socket: LivenessSocket | undefined
    try {
      // Before the lock is there, and until after it is released: without a listener it means that its owner is dead.
      socket = await host.openSocket?.(socketFile(directory, claim))
      const since = new Date(now).toISOString()
      const record = { ...host.self, since, claim, fileSystem: socket?.fileSystem }
      return await DirectoryLock.#take({ fileSystem, directory, host, record, socket })
    } catch (error) {
      // If the lock is there all the same, the socket shall say that its owner is dead.
      socket?.close(host.abandoned.has(claim))
      host.claimed.delete(directory)
      throw error
    }
  }

  static async #take(attempt: Attempt): Promise<DirectoryLock> {
    const { fileSystem, directory } = attempt
    for (;;) {
      const held = highestLock(await fileSystem.list(directory))
      const before = held === 0 ? undefined : await readLock(fileSystem, lockFile(directory, held))
      if (before === 'gone') continue // it changed hands while we looked
      if (held > 0) await refuseUnlessFree(attempt, before, lockFile(directory, held))
      if (!(await linkNext(attempt, held + 1))) continue // another was faster
      if (await isConfirmed(attempt, held + 1)) return new DirectoryLock(attempt, held + 1, before)
    }
  }

  async release(): Promise<void> {
    const { fileSystem, directory, host, record, socket } = this.#attempt
    const { claim } = record
    try {
      const there = await readLock(fileSystem, this.#file)
      // The directory was moved, and there may be another owner in its place: what lies there is not ours to release.
      if (there === undefined || there === 'gone' || there.claim !== claim) {
        host.abandoned.add(claim)
        return
      }
      const released = await writeLock(fileSystem, directory, { ...record, released: true })
      await fileSystem.rename(released, this.#file)
    } catch (error) {
      // On a full disk others have to wait until this process ends, but it may open the directory again itself.
      host.abandoned.add(claim)
      throw error
    } finally {
      socket?.close(host.abandoned.has(claim))
      host.claimed.delete(directory)
    }
  }
}

/** @returns whether this process was the first to have that number */
async function linkNext({ fileSystem, directory, record }: Attempt, number: number): Promise<boolean> {
  const temporary = await writeLock(fileSystem, directory, record)
  try {
    await fileSystem.link(temporary, lockFile(directory, number))
    return true
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code === 'EEXIST' || code === 'ENOENT') return false
    if (!NO_LINKS.has(code)) throw error
    throw new StoreError(
      'INVALID_CONFIG',
      `Cannot lock ${directory}: its file system has no hard links, which the lock needs. Use a local directory, or open it read-only.`,
      { file: directory, cause: error },
    )
  } finally {
    await removeIfThere(fileSystem, temporary).catch(() => undefined) // the next writer removes it
  }
}

/**
 * A listing that ran while the lock changed hands may have shown neither the old number nor the new one. So whoever has
 * linked a number looks again, withdraws if it is not the highest, and otherwise removes what lies below it.
 */
async function isConfirmed({ fileSystem, directory, host, record }: Attempt, mine: number): Promise<boolean> {
  try {
    const names = await fileSystem.list(directory)
    if (highestLock(names) !== mine) {
      await removeIfThere(fileSystem, lockFile(directory, mine))
      return false
    }
    for (const name of names) {
      const number = lockNumber(name)
      if (number > 0 && number < mine) await removeIfThere(fileSystem, join(directory, name))
    }
    await host.removeStaleSockets?.(directory)
    return true
  } catch (error) {
    host.abandoned.add(record.claim)
    throw error
  }
}

async function refuseUnlessFree(attempt: Attempt, owner: LockRecord | undefined, file: string): Promise<void> {
  const refusal = await refusalOf(attempt.host, owner, file)
  if (refusal !== undefined) throw locked(attempt.directory, refusal)
}

async function refusalOf(host: Host, owner: LockRecord | undefined, file: string): Promise<Refusal | undefined> {
  const advice = `If nobody writes there any more, remove ${file}`
  if (owner === undefined) return { reason: 'its lock file cannot be read', advice }
  if (owner.released === true || host.abandoned.has(owner.claim)) return undefined
  const verdict = await host.checkOwner(owner, file)
  if (verdict === 'dead') return undefined
  const { since } = owner
  if (verdict === 'unknown') {
    const unseen = 'from here it cannot be seen whether that process still runs'
    return { reason: `${describe(owner)} opened it at ${since}, and ${unseen}`, advice }
  }
  const isHere = owner.pid === host.self.pid && owner.pidNamespace === host.self.pidNamespace
  if (isHere) return lockedByThread(since, file)
  const reason = `${describe(owner)} has had it open since ${since}`
  return { reason, advice: 'Close it there, or open it read-only' }
}

/** Every thread has its own list of what is open, so this one is another's, and it may have ended without a word. */
function lockedByThread(since: string, file: string): Refusal {
  return {
    reason: `another thread of this process has had it open since ${since}, or ended without closing it`,
    advice: `Close it in that thread, or open it read-only. If that thread has ended, end this process, or remove ${file}`,
  }
}

function lockedHere(directory: string, since: number): StoreError {
  const reason = `this process itself has had it open since ${new Date(since).toISOString()}`
  return locked(directory, { reason, advice: 'Use that store, or close it first' })
}

function locked(directory: string, { reason, advice }: Refusal): StoreError {
  return new StoreError('LOCKED', `Cannot open ${directory} for writing: ${reason}. ${advice}.`, { file: directory })
}

function describe({ pid, host }: ProcessIdentity): string {
  return `process ${pid} on host ${JSON.stringify(host)}`
}
