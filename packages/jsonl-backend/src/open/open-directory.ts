import { dirname, join } from 'node:path'
import type { OpenFinding, OpenReport } from '@turnlog/core/backend'
import { isStoreError, StoreError } from '@turnlog/core/backend'
import { SingleFlight } from '@turnlog/storage-kit'
import { SessionIndex } from '../session-index/session-index.ts'
import { FilePool } from '../file-system/file-pool.ts'
import type { FileSystem } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import type { JsonlOptions } from '../options/jsonl-options.ts'
import { LEVELDB_FILES } from './leveldb-files.ts'
import { DirectoryLock, hasLiveWriter } from '../lock/directory-lock.ts'
import type { Host } from '../lock/host.ts'
import type { WriteContext } from '../sessions/write-context.ts'
import { DirectoryWatch } from '../wake/directory-watch.ts'

/** What the backend needs of the machine. Tests replace it. */
export interface Environment {
  readonly fileSystem: FileSystem
  readonly host: Host
}

/** A directory that is open, with everything that has to be released again. */
export interface OpenDirectory extends WriteContext {
  readonly readOnly: boolean
  readonly watch: DirectoryWatch
  readonly report: OpenReport
  close(): Promise<void>
}

/** @throws `LOCKED`, `NOT_FOUND`, `IO`, `INVALID_CONFIG` */
export async function openDirectory(
  { fileSystem, host }: Environment,
  options: Required<JsonlOptions>,
  readOnly: boolean,
): Promise<OpenDirectory> {
  let lock: DirectoryLock | undefined
  try {
    const directory = await findDirectory(fileSystem, options.path, readOnly)
    await refuseLevelDb(fileSystem, directory)
    if (!readOnly) lock = await DirectoryLock.acquire(fileSystem, directory, host)
    const { durability, maxOpenFiles, rewriteWhenTrimmed } = options
    const sessionIndex = new SessionIndex({ fileSystem, directory, durability, write: !readOnly })
    const hasNoWriter = !readOnly || !(await hasLiveWriter(fileSystem, directory, host))
    const findings = [...staleLock(lock), ...(await sessionIndex.load(hasNoWriter))]
    const created = sessionIndex.sessions === 0 && (lock?.isFirst ?? false)
    const access = readOnly ? 'read' : 'write'
    const pool = new FilePool(fileSystem, directory, { access, durable: durability === 'sync' }, maxOpenFiles)
    const watch = new DirectoryWatch(fileSystem, directory)
    const sync = new SingleFlight<void>()
    return {
      fileSystem,
      directory,
      durability,
      rewriteWhenTrimmed,
      pool,
      sessionIndex,
      watch,
      readOnly,
      syncDirectory: () => sync.after(() => fileSystem.syncDirectory(directory)),
      report: Object.freeze({ created, findings: Object.freeze(findings) }),
      close: async () => {
        watch.close(new StoreError('CLOSED', 'The jsonl backend was closed.'))
        try {
          await pool.close()
          // Only a cache: a full disk must not keep the directory locked.
          if (!readOnly) await sessionIndex.save().catch(() => undefined)
        } finally {
          await lock?.release()
        }
      },
    }
  } catch (error) {
    await lock?.release().catch(() => undefined) // the first error is the one to report
    if (isStoreError(error)) throw error
    throw toStoreError(error, readOnly ? 'open' : 'open for writing', options.path)
  }
}

function staleLock(lock: DirectoryLock | undefined): readonly OpenFinding[] {
  if (lock?.takenFrom === undefined) return []
  const message = `Took over a stale lock: the previous process, ${lock.takenFrom}, ended without closing the store.`
  return [{ kind: 'stale-lock', message }]
}

async function findDirectory(fileSystem: FileSystem, path: string, readOnly: boolean): Promise<string> {
  if (!readOnly) {
    // Names of new directories have to survive a power failure as well as the files in them.
    for (const made of await fileSystem.makeDirectory(path)) await fileSystem.syncDirectory(join(dirname(made), '.'))
  }
  try {
    return await fileSystem.realPath(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new StoreError(
      'NOT_FOUND',
      `There is no store at ${path}. Check the path, or open it for writing to make one.`,
      {
        file: path,
        cause: error,
      },
    )
  }
}

/** Session files in a directory of LevelDB would make a store of neither kind, and a repair or a copy would lose one. */
async function refuseLevelDb(fileSystem: FileSystem, directory: string): Promise<void> {
  const found = await fileSystem.stat(directory, LEVELDB_FILES)
  const name = LEVELDB_FILES.find((_name, index) => found[index] !== undefined)
  if (name === undefined) return
  throw new StoreError(
    'INVALID_CONFIG',
    `${directory} holds a LevelDB store: there is a file ${name} in it. Open it as leveldb:${directory}, or give the JSONL store another directory.`,
    { file: join(directory, name) },
  )
}
