import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { OpenFinding, OpenReport } from '@turnlog/core/backend'
import { removeCompactPointers } from '@turnlog/leveldb-files'

import { Anchor } from './anchor.ts'
import { Database } from '../database/database.ts'
import { compareIdentity, examineDirectory } from './examine-directory.ts'
import { dropKeptLogs, keepLogs } from '../files/kept-logs.ts'
import { protectDirectory, protectFiles } from '../files/protect-files.ts'
import { syncDirectory } from '../files/sync-directory.ts'
import type { CommitTarget } from '../append/group-commit.ts'
import { fromLevel } from '../database/level-error.ts'
import { openLevel } from '../database/level.ts'
import type { CheckedOptions } from '../leveldb-options.ts'
import { LogRunway } from '../append/log-runway.ts'
import { prepareExisting } from './prepare-existing.ts'
import { LOCK_FILE } from '../lock/claims.ts'
import { StoreLock } from '../lock/store-lock.ts'
import { replayMissed } from './replay-missed.ts'
import { readStoreRows, writeFirstRows } from '../rows/store-rows.ts'
import type { Counter, StoreRows } from '../rows/store-rows.ts'
import { TableGuard } from './table-guard.ts'
import { TableNotes } from './table-notes.ts'
import { cutFailedBatch, recoverWrites } from './recover-writes.ts'
import { refuseUnfinishedRepair } from './unfinished-repair.ts'

/** A store that is open for writing: its lock, its anchor and its database. */
export class OpenedStore implements CommitTarget {
  readonly database: Database
  readonly report: OpenReport
  readonly rows: StoreRows
  readonly directory: string
  readonly #options: CheckedOptions
  readonly #lock: StoreLock
  readonly #anchor: Anchor
  readonly #guard: TableGuard
  readonly #notes: TableNotes
  /** Only if syncs are waited for. What other systems do with zeros has not been measured. */
  readonly #runway: LogRunway | undefined
  /** The last batch that is written and acknowledged. */
  #batches: number
  #bytesWritten = 0
  /** To be reopened: a write failed, and LevelDB would go on and lose what comes after it. */
  #isFenced = false
  #leavesTraces = true
  #reopening: Promise<void> | undefined

  private constructor(parts: {
    directory: string
    options: CheckedOptions
    lock: StoreLock
    anchor: Anchor
    guard: TableGuard
    database: Database
    rows: StoreRows
    report: OpenReport
  }) {
    this.directory = parts.directory
    this.#options = parts.options
    this.#lock = parts.lock
    this.#anchor = parts.anchor
    this.#guard = parts.guard
    const { durability, writeBufferBytes } = parts.options
    this.#runway =
      durability === 'sync' && process.platform === 'linux'
        ? new LogRunway(parts.directory, writeBufferBytes)
        : undefined
    this.#notes = new TableNotes(parts.directory, parts.guard, parts.options.writeBufferBytes)
    this.database = parts.database
    this.rows = parts.rows
    this.report = parts.report
    this.#batches = parts.rows.batches
    this.database.revive = () => this.#checkAndReopen(false)
  }

  /** @throws `LOCKED`, `CORRUPT`, `UNSUPPORTED`, `INVALID_CONFIG`, `IO` */
  static async open(options: CheckedOptions): Promise<OpenedStore> {
    const directory = makeDirectory(options.path)
    const lock = await StoreLock.acquire(directory)
    let anchor: Anchor | undefined
    let database: Database | undefined
    try {
      const examined = await examineDirectory(directory)
      const created = examined.kind === 'new'
      if (created) refuseUnfinishedRepair(directory)
      const guard = new TableGuard(examined.kind === 'new' ? [] : examined.inspection.tables)
      const findings = examined.kind === 'new' ? [] : await prepareExisting(directory, options, examined, guard)
      if (lock.isTakenOver) findings.push(staleLock(directory))
      if (examined.kind === 'new') {
        protectDirectory(directory)
        for (const name of examined.leftovers) rmSync(join(directory, name), { force: true })
        anchor = Anchor.create(directory, newAnchor(options))
        syncDirectory(directory)
      } else {
        anchor = Anchor.open(directory)
      }
      const kept = keepLogs(directory)
      database = new Database(directory, await openLevel(directory, options, created), guard)
      if (examined.kind === 'new') await writeFirstRows(database, Anchor.read(directory).storeId)
      else await replayMissed(database, examined.inspection)
      const rows = await readStoreRows(database)
      if (examined.kind === 'existing') compareIdentity(directory, examined.anchor, rows)
      dropKeptLogs(kept)
      anchor.reset({ storeId: rows.storeId, batches: rows.batches, durability: options.durability })
      syncDirectory(directory)
      protectFiles(directory)
      const report = { created, findings }
      const store = new OpenedStore({ directory, options, lock, anchor, guard, database, rows, report })
      void store.#notes.noteWhenChecked()
      return store
    } catch (error) {
      await database?.close()
      anchor?.close()
      lock.release()
      throw isStoreError(error) ? error : fromLevel(error, 'open the store', directory)
    }
  }

  makeWritable(bytes: number): Promise<void> | undefined {
    this.#guard.throwIfDamaged()
    this.#bytesWritten += bytes
    this.#notes.written(bytes)
    // A full write buffer leads to compactions, and those read tables.
    const isUnchecked = !this.#guard.isDone && this.#bytesWritten > this.#options.writeBufferBytes / 2
    if (isUnchecked || this.#isFenced) return this.#checkAndReopen(isUnchecked)
    return undefined
  }

  clearLog(bytes: number): Promise<void> | undefined {
    return this.#runway?.clear(bytes)
  }

  async #checkAndReopen(isUnchecked: boolean): Promise<void> {
    // To reopen makes tables of the logs, which can lead to a compaction as well.
    if (isUnchecked || this.#isFenced) await this.#guard.all()
    if (!this.#isFenced) return
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined
    })
    await this.#reopening
  }

  async #reopen(): Promise<void> {
    await this.#runway?.leave()
    await this.#notes.settled()
    const beforeOpen = this.#leavesTraces ? () => undefined : () => removeCompactPointers(this.directory)
    try {
      await recoverWrites(this.directory, this.#options, this.database, this.#batches, beforeOpen)
    } catch (error) {
      throw isStoreError(error) ? error : fromLevel(error, 'reopen the store', this.directory)
    }
    this.#isFenced = false
    this.#leavesTraces = true
    void this.#notes.note()
  }

  /** Before the next write: a fresh log, and a MANIFEST that knows only what there is. */
  reopenWithoutTraces(): void {
    this.#isFenced = true
    this.#leavesTraces = false
  }

  written({ batches }: Counter): void {
    this.#batches = batches
    try {
      this.#anchor.write(batches)
    } catch {
      // The batch is durable, and an anchor that is behind accuses nobody. The next batch writes it again.
    }
    this.#runway?.extend()
  }

  /**
   * The failed batch may be whole in the log all the same. Its callers are told that it is not there, so it is cut off
   * before anybody can find it; if the disk refuses even that, `makeWritable` or `close` tries again.
   */
  failed(error: unknown): StoreError {
    this.#isFenced = true
    try {
      cutFailedBatch(this.directory, this.#batches)
    } catch {
      // Tried again, and reported then.
    }
    return fromLevel(error, 'append', this.directory)
  }

  /** @throws `IO`; it is closed all the same */
  async close(): Promise<void> {
    // Reads are not waited for, and one may just be having LevelDB opened again. It must not stay open behind the lock.
    this.database.revive = undefined
    await this.#reopening?.catch(() => undefined) // whoever reads is told
    try {
      await this.database.close()
      if (this.#isFenced) cutFailedBatch(this.directory, this.#batches)
      await this.#runway?.cut()
      this.#anchor.sync()
      // LevelDB's diary: it grows with every compaction, quotes keys, and nobody reads it.
      for (const name of ['LOG', 'LOG.old']) rmSync(join(this.directory, name), { force: true })
      protectFiles(this.directory)
      await this.#notes.close()
    } catch (error) {
      throw isStoreError(error) ? error : fromLevel(error, 'close the store', this.directory)
    } finally {
      this.#anchor.close()
      this.#lock.release()
    }
  }
}

function newAnchor({ durability }: CheckedOptions): { storeId: string; batches: number; durability: 'sync' | 'os' } {
  return { storeId: randomBytes(16).toString('hex'), batches: 0, durability }
}

function staleLock(directory: string): OpenFinding {
  const file = join(directory, LOCK_FILE)
  return {
    kind: 'stale-lock',
    message: 'Took over a stale lock: the previous process ended without closing the store.',
    file,
  }
}

function makeDirectory(path: string): string {
  const directory = resolve(path)
  // Before it is made: with `mv` the repaired store would go into it, not in its place.
  if (!existsSync(directory)) refuseUnfinishedRepair(directory)
  try {
    if (mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined) syncDirectory(join(directory, '..'))
    return realpathSync(directory)
  } catch (error) {
    throw new StoreError('IO', `Cannot use ${JSON.stringify(path)} as the directory of a store. See the cause.`, {
      cause: error,
    })
  }
}
