import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

const ENDS = ['', '-wal', '-shm'] as const

/**
 * What a killed process has left, under other names, for who may only look: SQLite would write the index of the log
 * anew beside it, and the old one tells how far the dead process had come.
 */
export class CrashView {
  /** The database to be opened. */
  readonly file: string
  readonly #path: string
  readonly #directory: string
  readonly #seen: string

  private constructor(path: string) {
    this.#path = path
    this.#seen = stateOf(path)
    this.#directory = `${path}.reading-${randomBytes(6).toString('hex')}`
    this.file = join(this.#directory, basename(path))
    mkdirSync(this.#directory, { mode: 0o700 })
    try {
      linkSync(path, this.file)
      if (existsSync(`${path}-wal`)) linkSync(`${path}-wal`, `${this.file}-wal`)
    } catch (error) {
      this.remove()
      throw error
    }
  }

  /** @returns `undefined` if somebody has it open, if that cannot be told, or if there is nowhere to look from */
  static of(path: string): CrashView | undefined {
    if (isInUse(path)) return undefined
    try {
      return new CrashView(path)
    } catch {
      return undefined // no links, or nothing may be made there: then as it is
    }
  }

  /** Somebody has opened the store since, and writes to it. */
  get isStale(): boolean {
    return stateOf(this.#path) !== this.#seen
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

function stateOf(path: string): string {
  return ENDS.map((end) => {
    const found = statSync(`${path}${end}`, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeNs}`
  }).join()
}

/** All who have a database with a log open hold a lock on the index of the log. */
function isInUse(path: string): boolean {
  try {
    const { ino } = statSync(`${path}-shm`, { bigint: true })
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes(`:${ino} `))
  } catch (error) {
    // Without an index nobody has it open; where the system does not tell, anybody may.
    return (error as NodeJS.ErrnoException).path !== `${path}-shm`
  }
}
