import { checkBlocks, checkTable } from './check-table.ts'
import { countRecoveredTables } from './count-recovered-tables.ts'
import { isCompactionDue } from './is-compaction-due.ts'
import type { InspectedTable } from './inspect-directory.ts'
import type { LogRecord } from './read-log.ts'

/** LevelDB has no more. */
const LEVELS = 7
/** One is read while another is checked. */
const TABLES_AT_ONCE = 2
/** Checked within 50 milliseconds or so, while opening. */
const SMALL_BYTES = 32 * 1024 * 1024

/** What to throw. */
export interface VerifierErrors {
  damaged(file: string, problem: string): Error
  unreadable(file: string, cause: unknown): Error
}

/** The bounds of a range of keys. */
interface Bounds {
  readonly gt?: Buffer
  readonly gte?: Buffer
  readonly lt?: Buffer
  readonly lte?: Buffer
}

/**
 * Checks the data blocks of the tables that were there at opening, each before it is first used. LevelDB does not, and
 * a damaged block can end the process. Small stores are checked at once; larger ones in the background, and a read
 * waits for the tables it needs. Not checked again is what this process writes itself, and what is known to be right.
 */
export class TableVerifier {
  readonly #unchecked: Map<number, InspectedTable>
  readonly #known: readonly InspectedTable[]
  readonly #levels: readonly (readonly InspectedTable[])[]
  readonly #checking = new Map<number, Promise<void>>()
  readonly #abort = new AbortController()
  readonly #errors: VerifierErrors
  #damage: Error | undefined
  #all: Promise<void> | undefined

  constructor(tables: readonly InspectedTable[], errors: VerifierErrors) {
    this.#errors = errors
    const unchecked = tables.filter(({ sizes }) => sizes !== undefined)
    this.#unchecked = new Map(unchecked.map((table) => [table.number, table]))
    this.#known = tables.filter(({ sizes }) => sizes === undefined)
    const sorted = [...tables].sort((a, b) => a.smallest.compare(b.smallest))
    this.#levels = Array.from({ length: LEVELS }, (_, level) => sorted.filter((table) => table.level === level))
  }

  get isDone(): boolean {
    return this.#unchecked.size === 0
  }

  isUnchecked(table: number): boolean {
    return this.#unchecked.has(table)
  }

  /** Checks at once what is small, or what LevelDB would rewrite as soon as it is open. */
  async prepare(records: readonly LogRecord[], writeBufferBytes: number): Promise<void> {
    let bytes = 0
    for (const table of this.#unchecked.values()) bytes += table.bytes
    const isDue = (): boolean => isCompactionDue(this.#levels.flat(), countRecoveredTables(records, writeBufferBytes))
    if (bytes <= SMALL_BYTES || isDue()) await this.all()
  }

  /** Resolves when every table has been checked. Damage is told to whoever reads it, and to every writer. */
  all(): Promise<void> {
    this.#all ??= this.#checkAll().catch((error: unknown) => {
      if (this.#damage === undefined) this.#all = undefined // could not be read: the next one tries again
      throw error
    })
    return this.#all
  }

  /** Like `all`, and checks once more what was known to be right. */
  async allAgain(): Promise<void> {
    await this.all()
    for (const table of this.#known) await this.#check(table)
  }

  /** Resolves when the tables that this range may touch have been checked. */
  async ready({ gt, gte, lt, lte }: Bounds): Promise<void> {
    const start = gte ?? gt
    const end = lte ?? lt
    for (const tables of this.#levels) {
      const overlaps = (table: InspectedTable | undefined): boolean =>
        table !== undefined &&
        (start === undefined || table.largest.compare(start) >= 0) &&
        (end === undefined || table.smallest.compare(end) <= 0)
      // Seeking may look into the tables next to the range, and into all of level 0.
      const from = tables.findIndex((table) => start === undefined || table.largest.compare(start) >= 0)
      for (const [index, table] of tables.entries()) {
        const isNear = overlaps(tables[index - 1]) || overlaps(tables[index + 1]) || Math.abs(index - from) <= 1
        if (this.#unchecked.has(table.number) && (table.level === 0 || isNear || overlaps(table))) {
          await this.#check(table)
        }
      }
    }
  }

  /** Once damage is known, a compaction must not meet it. */
  throwIfDamaged(): void {
    if (this.#damage !== undefined) throw this.#damage
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await Promise.allSettled([...this.#checking.values(), this.#all])
  }

  async #checkAll(): Promise<void> {
    const tables = this.#unchecked.values()
    const checkNext = async (): Promise<void> => {
      for (const table of tables) await this.#check(table)
    }
    await Promise.all(Array.from({ length: TABLES_AT_ONCE }, checkNext))
  }

  #check(table: InspectedTable): Promise<void> {
    let checking = this.#checking.get(table.number)
    if (checking === undefined) {
      checking = this.#read(table)
      checking.catch(() => undefined) // everybody who waits for the table is told
      this.#checking.set(table.number, checking)
    }
    return checking
  }

  async #read(table: InspectedTable): Promise<void> {
    let problem: string | undefined
    try {
      problem = await findDamage(table, this.#abort.signal)
    } catch (error) {
      // Compacted away since: then it was checked before, as no compaction runs while tables are unchecked.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#checking.delete(table.number) // too many open files, say: the next one tries again
        throw this.#errors.unreadable(table.file, error)
      }
    }
    if (problem !== undefined) {
      this.#damage ??= this.#errors.damaged(table.file, problem)
      this.#unchecked.set(table.number, table) // nobody may read it, even if it was known to be right
      throw this.#damage
    }
    this.#unchecked.delete(table.number)
    this.#checking.delete(table.number)
  }
}

async function findDamage({ file, bytes, sizes }: InspectedTable, signal: AbortSignal): Promise<string | undefined> {
  const table = sizes === undefined ? checkTable(file, bytes) : { file, sizes }
  if ('problem' in table) return table.problem
  const damaged = await checkBlocks(table, signal)
  return damaged === undefined ? undefined : `the block at byte ${damaged} has a wrong checksum`
}
