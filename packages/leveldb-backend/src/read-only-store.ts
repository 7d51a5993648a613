import { copyFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { StoreError } from '@turnlog/core/backend'
import type { OpenReport } from '@turnlog/core/backend'

import { Database } from './database.ts'
import { fromLevel } from './level-error.ts'
import type { CheckedOptions } from './leveldb-options.ts'
import { StoreLock } from './store-lock.ts'
import { readStoreRows } from './store-rows.ts'

/**
 * A store that is only looked at. LevelDB writes whenever it opens: it replays logs, makes tables, deletes files. So it
 * opens a shadow: a temporary directory with links to the tables, which never change, and copies of the rest.
 * Works on read-only media, and needs room for the logs in the temporary directory.
 */
export class ReadOnlyStore {
  readonly directory: string
  readonly report: OpenReport
  readonly #database: Database

  private constructor(directory: string, database: Database, report: OpenReport) {
    this.directory = directory
    this.#database = database
    this.report = report
  }

  /** @throws `NOT_FOUND`, `LOCKED`, `CORRUPT`, `UNSUPPORTED`, `IO` */
  static async open(options: CheckedOptions): Promise<ReadOnlyStore> {
    const directory = existingDirectory(options.path)
    StoreLock.check(directory)
    const database = await openShadow(directory, options)
    try {
      await readStoreRows(database)
    } catch (error) {
      await closeShadow(database)
      throw error
    }
    return new ReadOnlyStore(directory, database, { created: false, findings: [] })
  }

  database(): Database {
    return this.#database
  }

  close(): Promise<void> {
    return closeShadow(this.#database)
  }
}

/** Opens LevelDB on what is in `directory` without touching it. Close it with `closeShadow`. */
export async function openShadow(directory: string, options: CheckedOptions): Promise<Database> {
  const shadow = mkdtempSync(join(tmpdir(), 'turnlog-shadow-'))
  try {
    for (const name of readdirSync(directory)) {
      if (/^\d+\.(?:ldb|sst)$/.test(name)) symlinkSync(join(directory, name), join(shadow, name))
      else if (/^(?:\d+\.log|CURRENT|MANIFEST-\d+)$/.test(name)) copyFileSync(join(directory, name), join(shadow, name))
    }
    return await Database.open(shadow, options, false)
  } catch (error) {
    rmSync(shadow, { recursive: true, force: true })
    throw fromLevel(error, 'open the store for reading', directory)
  }
}

export async function closeShadow(database: Database): Promise<void> {
  try {
    await database.close()
  } finally {
    rmSync(database.location, { recursive: true, force: true })
  }
}

function existingDirectory(path: string): string {
  try {
    return realpathSync(resolve(path))
  } catch (error) {
    throw new StoreError('NOT_FOUND', `There is no store in ${JSON.stringify(path)}.`, { cause: error })
  }
}
