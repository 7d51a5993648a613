import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Json } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'
import type { LifeSign } from '@turnlog/core/life-sign'
import type { FileSystem } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { readFully, writeAll } from '../file-system/write-all.ts'
import type { Host, Owner } from './host.ts'

/** Lock files are numbered; the one with the highest number counts. */
const LOCK_NAME = /^turnlog\.lock\.(\d{1,15})$/
const LOCK_PREFIX = 'turnlog.lock.'
/** Where an owner in a container shows that it lives; its token follows. */
const SIGN_PREFIX = `${LOCK_PREFIX}alive-`
const SIGN_NAME = /^turnlog\.lock\.alive-[0-9a-f]+$/

interface LockContent extends Owner {
  readonly since: number
  /** Random, so that a process knows its own locks apart. */
  readonly token: string
  readonly released: boolean
}

/** The one writer of a directory. */
export interface DirectoryLock {
  /** The lock of a dead owner that was taken over. */
  readonly takenFrom: string | undefined
  /** No process ever held this directory. */
  readonly isFirst: boolean
  release(): Promise<void>
}

/**
 * Takes the directory for this process.
 *
 * Node has no `flock`, so the lock is a name: whoever links the next number owns the directory. The content is
 * complete and synced before the name exists, and the highest number is never removed, so that a decision about an
 * older number can never succeed later.
 *
 * @throws `LOCKED` with who holds it, since when, and what to do
 */
export async function lockDirectory(fileSystem: FileSystem, directory: string, host: Host): Promise<DirectoryLock> {
  const claimedSince = host.claimed.get(directory)
  if (claimedSince !== undefined) {
    throw locked(
      directory,
      `this process itself has had it open since ${when(claimedSince)}`,
      'Use that store, or close it first',
    )
  }
  const since = Date.now()
  host.claimed.set(directory, since)
  const token = randomBytes(12).toString('hex')
  let sign: LifeSign | undefined
  try {
    // Before the lock is there, and until after it is released: without a listener it means that its owner is gone.
    sign = await host.giveSign?.(signFile(directory, token))
    return await acquire(fileSystem, directory, host, { since, token, sign })
  } catch (error) {
    // If the lock is there all the same, the sign shall say that its owner is gone.
    sign?.end(host.abandoned.has(token))
    host.claimed.delete(directory)
    throw error
  }
}

interface Claim {
  readonly since: number
  readonly token: string
  readonly sign: LifeSign | undefined
}

function signFile(directory: string, token: string): string {
  return join(directory, `${SIGN_PREFIX}${token}`)
}

/** Whether a writer may have the directory open now. */
export async function hasLiveWriter(fileSystem: FileSystem, directory: string, host: Host): Promise<boolean> {
  const number = highest(await fileSystem.list(directory))
  if (number === 0) return false
  const content = await readLock(fileSystem, join(directory, `${LOCK_PREFIX}${number}`))
  if (content === undefined || content === 'gone') return true
  return !content.released && (await host.judge(content, signFile(directory, content.token))) !== 'dead'
}

async function acquire(
  fileSystem: FileSystem,
  directory: string,
  host: Host,
  { since, token, sign }: Claim,
): Promise<DirectoryLock> {
  const pathOf = (number: number | string): string => join(directory, `${LOCK_PREFIX}${number}`)
  const self: Owner = sign === undefined ? host.self : { ...host.self, signedIn: sign.fileSystem }
  for (;;) {
    const held = highest(await fileSystem.list(directory))
    const content = held === 0 ? undefined : await readLock(fileSystem, pathOf(held))
    if (content === 'gone') continue // it changed hands while we looked
    if (held > 0) {
      const { refusal, advice } = await judgeLock(content, host, directory, pathOf(held))
      if (refusal !== undefined) throw locked(directory, refusal, advice)
    }
    const mine = held + 1
    const temporary = pathOf(`${randomBytes(6).toString('hex')}.tmp`)
    await writeLock(fileSystem, temporary, { ...self, since, token, released: false })
    try {
      await fileSystem.link(temporary, pathOf(mine))
    } catch (error) {
      const code = systemCode(error)
      if (code === 'EEXIST' || code === 'ENOENT') continue // another was faster
      if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'ENOSYS') {
        throw new StoreError(
          'INVALID_CONFIG',
          `Cannot lock ${directory}: its file system has no hard links, which the lock needs. Use a local directory, or open it read-only.`,
          { file: directory, cause: error },
        )
      }
      throw error
    } finally {
      await removeIfThere(fileSystem, temporary).catch(() => undefined) // the next writer removes it
    }
    // A listing that ran while the lock changed hands may have shown neither the old number nor the new one.
    try {
      const names = await fileSystem.list(directory)
      if (highest(names) !== mine) {
        await removeIfThere(fileSystem, pathOf(mine))
        continue
      }
      for (const name of names) {
        const number = Number(LOCK_NAME.exec(name)?.[1] ?? mine)
        const path = join(directory, name)
        // Not of somebody who is about to find this lock: without its sign the one that he takes next tells nobody.
        const isStale = SIGN_NAME.test(name) && (await host.hasEnded?.(path)) === true
        if (number < mine || isStale) await removeIfThere(fileSystem, path)
      }
    } catch (error) {
      host.abandoned.add(token)
      throw error
    }
    return {
      takenFrom: content === undefined || content.released ? undefined : describe(content),
      isFirst: held === 0,
      release: async () => {
        try {
          const there = await readLock(fileSystem, pathOf(mine))
          // The directory was moved, and there may be another owner in its place: what lies there is not ours to release.
          if (there === undefined || there === 'gone' || there.token !== token) {
            host.abandoned.add(token)
            return
          }
          const released = pathOf(`${randomBytes(6).toString('hex')}.tmp`)
          await writeLock(fileSystem, released, { ...self, since, token, released: true })
          await fileSystem.rename(released, pathOf(mine))
        } catch (error) {
          // On a full disk others have to wait until this process ends, but it may open the directory again itself.
          host.abandoned.add(token)
          throw error
        } finally {
          sign?.end(host.abandoned.has(token))
          host.claimed.delete(directory)
        }
      },
    }
  }
}

async function judgeLock(
  content: LockContent | undefined,
  host: Host,
  directory: string,
  file: string,
): Promise<{ readonly refusal?: string; readonly advice: string }> {
  const remove = `If nobody writes there any more, remove ${file}`
  if (content === undefined) return { refusal: 'its lock file cannot be read', advice: remove }
  if (content.released || host.abandoned.has(content.token)) return { advice: '' }
  const verdict = await host.judge(content, signFile(directory, content.token))
  if (verdict === 'dead') return { advice: '' }
  if (verdict === 'alive') {
    // Every thread has its own list of what is open, so this one is another's, and it may have ended without a word.
    if (content.pid === host.self.pid && content.pidNamespace === host.self.pidNamespace) {
      return {
        refusal: `another thread of this process has had it open since ${when(content.since)}, or ended without closing it`,
        advice: `Close it in that thread, or open it read-only. If that thread has ended, end this process, or remove ${file}`,
      }
    }
    return {
      refusal: `${describe(content)} has had it open since ${when(content.since)}`,
      advice: 'Close it there, or open it read-only',
    }
  }
  return {
    refusal: `${describe(content)} opened it at ${when(content.since)}, and from here it cannot be seen whether that process still runs`,
    advice: remove,
  }
}

function locked(directory: string, refusal: string, advice: string): StoreError {
  return new StoreError('LOCKED', `Cannot open ${directory} for writing: ${refusal}. ${advice}.`, { file: directory })
}

function describe({ pid, host }: Owner): string {
  return `process ${pid} on host ${JSON.stringify(host)}`
}

function when(ms: number): string {
  return new Date(ms).toISOString()
}

function highest(names: readonly string[]): number {
  let number = 0
  for (const name of names) number = Math.max(number, Number(LOCK_NAME.exec(name)?.[1] ?? 0))
  return number
}

async function readLock(fileSystem: FileSystem, path: string): Promise<LockContent | 'gone' | undefined> {
  try {
    const file = await fileSystem.open(path, { access: 'read' })
    try {
      const content = await readFully(file, 0, Math.min(file.stat().size, 65_536))
      return parseLock(JSON.parse(content.toString('utf8')) as Json)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if (systemCode(error) === 'ENOENT') return 'gone'
    throw error
  }
}

function parseLock(value: Json): LockContent | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const content = value as Readonly<Record<string, Json>>
  const { host, boot, pidNamespace, pid, start, since, token, released } = content
  const isText = [host, boot, pidNamespace, start, token].every((field) => typeof field === 'string')
  if (!isText || typeof pid !== 'number' || typeof since !== 'number' || typeof released !== 'boolean') return undefined
  return content as unknown as LockContent
}

async function writeLock(fileSystem: FileSystem, path: string, content: LockContent): Promise<void> {
  const file = await fileSystem.open(path, { access: 'create' })
  try {
    await writeAll(file, Buffer.from(`${JSON.stringify(content)}\n`), 0)
    await file.sync()
  } finally {
    await file.close()
  }
}
