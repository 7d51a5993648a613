import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { OpenFinding, OpenReport } from '@turnlog/core/backend'

import { Anchor } from './anchor.ts'
import { Database } from './database.ts'
import type { CommitTarget } from './group-commit.ts'
import { fromLevel, levelCode } from './level-error.ts'
import type { CheckedOptions } from './leveldb-options.ts'
import { StoreLock } from './store-lock.ts'
import { COUNTER_KEY, encodeCounter, encodeIdentity, IDENTITY_KEY, readStoreRows } from './store-rows.ts'
import type { Counter, StoreRows } from './store-rows.ts'

/** A store that is open for writing: its lock, its anchor and its database. */
export class OpenedStore implements CommitTarget {
  readonly directory: string
  readonly report: OpenReport
  readonly rows: StoreRows
  readonly #options: CheckedOptions
  readonly #lock: StoreLock
  readonly #anchor: Anchor
  #database: Database

  private constructor(
    directory: string,
    options: CheckedOptions,
    lock: StoreLock,
    anchor: Anchor,
    database: Database,
    rows: StoreRows,
    report: OpenReport,
  ) {
    this.directory = directory
    this.#options = options
    this.#lock = lock
    this.#anchor = anchor
    this.#database = database
    this.rows = rows
    this.report = report
  }

  /** @throws `LOCKED`, `CORRUPT`, `UNSUPPORTED`, `INVALID_CONFIG`, `IO` */
  static async open(options: CheckedOptions): Promise<OpenedStore> {
    const directory = makeDirectory(options.path)
    const lock = StoreLock.acquire(directory, '')
    let anchor: Anchor | undefined
    let database: Database | undefined
    try {
      const findings: OpenFinding[] = []
      const created = !readdirSync(directory).includes('CURRENT')
      const storeId = randomBytes(16).toString('hex')
      anchor = created
        ? Anchor.create(directory, { storeId, batches: 0, durability: options.durability })
        : Anchor.open(directory)
      database = await openLevel(directory, options, created)
      if (created) await writeFirstRows(database, storeId)
      const rows = await readStoreRows(database)
      const { durability } = options
      anchor.write({ storeId: rows.storeId, batches: rows.batches, durability })
      anchor.sync()
      syncDirectory(directory)
      return new OpenedStore(directory, options, lock, anchor, database, rows, { created, findings })
    } catch (error) {
      await database?.close()
      anchor?.close()
      lock.release()
      throw error
    }
  }

  database(): Database {
    return this.#database
  }

  writable(): Promise<Database> {
    return Promise.resolve(this.#database)
  }

  written({ batches }: Counter): void {
    this.#anchor.write({ storeId: this.rows.storeId, batches, durability: this.#options.durability })
  }

  failed(error: unknown): unknown {
    return isStoreError(error) ? error : fromLevel(error, 'append', this.directory)
  }

  async close(): Promise<void> {
    try {
      await this.#database.close()
      this.#anchor.sync()
    } finally {
      this.#anchor.close()
      this.#lock.release()
    }
  }
}

async function openLevel(directory: string, options: CheckedOptions, create: boolean): Promise<Database> {
  try {
    return await Database.open(directory, options, create)
  } catch (error) {
    if (levelCode(error) === 'LEVEL_LOCKED') {
      throw new StoreError('LOCKED', `The store in ${directory} is in use by another process. Close it there.`, {
        cause: error,
      })
    }
    throw fromLevel(error, 'open the store', directory)
  }
}

async function writeFirstRows(database: Database, storeId: string): Promise<void> {
  const batch = database.batch()
  batch.put(IDENTITY_KEY, encodeIdentity(storeId))
  batch.put(COUNTER_KEY, encodeCounter({ batches: 1, sessions: 0 }))
  await batch.write({ sync: true })
}

function makeDirectory(path: string): string {
  try {
    mkdirSync(resolve(path), { recursive: true, mode: 0o700 })
    return realpathSync(resolve(path))
  } catch (error) {
    throw new StoreError('IO', `Cannot use ${JSON.stringify(path)} as the directory of a store. See the cause.`, {
      cause: error,
    })
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
