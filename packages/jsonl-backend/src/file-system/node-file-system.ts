import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { FileStat, FileSystem, OpenFile, OpenFileOptions } from './file-system.ts'

/**
 * O_DSYNC makes write and sync one hop through the thread pool. On macOS it does not reach the platter (F_FULLFSYNC
 * does, which `fs.fsync` uses there), and Windows has no such flag: both take the second hop.
 */
const DSYNC: number = process.platform === 'linux' || process.platform === 'freebsd' ? (fs.constants.O_DSYNC ?? 0) : 0
const NO_FOLLOW: number = fs.constants.O_NOFOLLOW ?? 0

const NO_THROW = { throwIfNoEntry: false } as const

/** Files looked at before other work gets its turn: about a millisecond. */
const STATS_PER_TURN = 500

function settle<T = void>(start: (done: (error: Error | null, value?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error === null ? resolve(value as T) : reject(error)))
  })
}

function toStat(stat: fs.Stats): FileStat {
  return { size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.ino, isFile: stat.isFile() }
}

function statNow(path: string): FileStat | undefined {
  const found = fs.lstatSync(path, NO_THROW)
  return found === undefined ? undefined : toStat(found)
}

/** The system refuses it, whatever else is open. */
const CLOSED = -1

class NodeFile implements OpenFile {
  #descriptor: number
  readonly #syncEachWrite: boolean

  constructor(descriptor: number, syncEachWrite: boolean) {
    this.#descriptor = descriptor
    this.#syncEachWrite = syncEachWrite
  }

  read(buffer: Uint8Array, position: number): Promise<number> {
    return settle((done) => fs.read(this.#descriptor, buffer, 0, buffer.byteLength, position, done))
  }

  write(buffer: Uint8Array, position: number): Promise<number> {
    const descriptor = this.#descriptor
    const written = settle<number>((done) => fs.write(descriptor, buffer, 0, buffer.byteLength, position, done))
    if (!this.#syncEachWrite) return written
    return written.then((count) => settle((done) => fs.fdatasync(descriptor, done)).then(() => count))
  }

  truncate(size: number): Promise<void> {
    return settle((done) => fs.ftruncate(this.#descriptor, size, done))
  }

  sync(): Promise<void> {
    return settle((done) => fs.fsync(this.#descriptor, done))
  }

  stat(): FileStat {
    return toStat(fs.fstatSync(this.#descriptor))
  }

  close(): Promise<void> {
    const descriptor = this.#descriptor
    // The system reuses descriptors: a late use of this one must fail, not reach another file.
    this.#descriptor = CLOSED
    return settle((done) => fs.close(descriptor, done))
  }
}

/** The file system of this machine. Files are made 0600 and directories 0700. */
export const nodeFileSystem: FileSystem = {
  async open(path: string, { access, durable = false }: OpenFileOptions): Promise<OpenFile> {
    const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = fs.constants
    let flags = NO_FOLLOW | (access === 'read' ? O_RDONLY : O_RDWR)
    if (access === 'create') flags |= O_CREAT | O_EXCL
    if (durable) flags |= DSYNC
    const descriptor = await settle<number>((done) => fs.open(path, flags, 0o600, done))
    return new NodeFile(descriptor, durable && DSYNC === 0)
  },

  list: (directory) => fs.promises.readdir(directory),

  async stat(directory, names) {
    const stats: (FileStat | undefined)[] = []
    for (const [index, name] of names.entries()) {
      // One hop through the thread pool costs fifty times what the call does.
      stats.push(statNow(join(directory, name)))
      if (index % STATS_PER_TURN === STATS_PER_TURN - 1) await setImmediate()
    }
    return stats
  },

  statNow,
  rename: (from, to) => fs.promises.rename(from, to),
  link: (existing, path) => fs.promises.link(existing, path),
  remove: (path) => fs.promises.unlink(path),

  async syncDirectory(directory) {
    const descriptor = await settle<number>((done) => fs.open(directory, fs.constants.O_RDONLY, done)).catch(
      (error: unknown) => {
        if (process.platform === 'win32') return undefined // directories cannot be opened there
        throw error
      },
    )
    if (descriptor === undefined) return
    try {
      await settle((done) => fs.fsync(descriptor, done))
    } catch (error) {
      if (process.platform !== 'win32') throw error
    } finally {
      await settle((done) => fs.close(descriptor, done))
    }
  },

  async makeDirectory(directory) {
    const outermost = await fs.promises.mkdir(directory, { recursive: true, mode: 0o700 })
    if (outermost === undefined) return []
    const made = [directory]
    for (let path = directory; path !== outermost && dirname(path) !== path;) {
      path = dirname(path)
      made.unshift(path)
    }
    return made
  },

  realPath: (path) => fs.promises.realpath(path),

  watch(directory, onChange, onError) {
    const watcher = fs.watch(directory, { persistent: false }, (_event, name) => onChange(name ?? undefined))
    watcher.on('error', onError)
    return () => watcher.close()
  },
}
