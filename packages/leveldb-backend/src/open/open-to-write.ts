import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { OpenFinding, OpenReport } from '@turnlog/core/backend'
import { linkLogs, LogPreallocation, removeLogLinks, TableVerifier } from '@turnlog/leveldb-files'
import { syncDirectory } from '@turnlog/storage-kit'

import { Database } from '../database/database.ts'
import { fromLevel } from '../database/to-store-error.ts'
import { openLevel } from '../database/level.ts'
import { protectDirectory, protectFiles } from '../files/protect-files.ts'
import type { CheckedOptions } from '../options/leveldb-options.ts'
import { LOCK_FILE } from '../lock/claims.ts'
import { StoreLock } from '../lock/store-lock.ts'
import { readStoreRows, writeFirstRows } from '../format/store-rows.ts'
import { Watermark } from './watermark.ts'
import { compareIdentity, examineDirectory } from './examine-directory.ts'
import type { Examined } from './examine-directory.ts'
import { prepareExisting } from './prepare-existing.ts'
import { rewriteSkipped } from './rewrite-skipped.ts'
import { VerifiedTables } from './verified-tables.ts'
import { refuseUnfinishedRepair } from './unfinished-repair.ts'
import { WriteFence } from './write-fence.ts'
import type { Acknowledged, FenceParts } from './write-fence.ts'
import { tableErrors } from '../files/inspect-store.ts'

/** The parts of a store that is open to write, and what ends them all. */
export interface WritableStore {
  readonly directory: string
  readonly database: Database
  readonly report: OpenReport
  readonly acknowledged: Acknowledged
  readonly watermark: Watermark
  readonly fence: WriteFence
  readonly preallocation: LogPreallocation | undefined
  /** @throws `IO`; it is closed all the same */
  close(): Promise<void>
}

/** @throws `LOCKED`, `CORRUPT`, `UNSUPPORTED`, `INVALID_CONFIG`, `IO` */
export async function openToWrite(options: CheckedOptions): Promise<WritableStore> {
  const directory = makeDirectory(options.path)
  const lock = await StoreLock.acquire(directory)
  let watermark: Watermark | undefined
  let database: Database | undefined
  try {
    const examined = await examineDirectory(directory)
    const created = examined.kind === 'new'
    if (created) refuseUnfinishedRepair(directory)
    const verifier = new TableVerifier(created ? [] : examined.inspection.tables, tableErrors)
    const findings = created ? [] : await prepareExisting(directory, options, examined, verifier)
    if (lock.isTakenOver) findings.push(staleLock(directory))
    watermark = created ? createWatermark(directory, options, examined.leftovers) : Watermark.open(directory)
    const kept = linkLogs(directory)
    database = new Database(directory, await openLevel(directory, options, created), verifier)
    const acknowledged = { counter: await fillDatabase(database, examined, watermark, options) }
    removeLogLinks(kept)
    syncDirectory(directory)
    protectFiles(directory)
    const verified = new VerifiedTables(directory, verifier, options.writeBufferBytes)
    void verified.noteWhenChecked()
    const preallocation = options.preallocateLog ? new LogPreallocation(directory, options.writeBufferBytes) : undefined
    const parts = { options, database, verifier, verified, preallocation, acknowledged }
    return writableStore({ ...parts, lock, watermark, report: { created, findings } })
  } catch (error) {
    await database?.close()
    watermark?.close()
    lock.release()
    throw isStoreError(error) ? error : fromLevel(error, 'open the store', directory)
  }
}

interface Parts extends FenceParts {
  readonly lock: StoreLock
  readonly watermark: Watermark
  readonly report: OpenReport
}

function writableStore(parts: Parts): WritableStore {
  const { database, verified, preallocation, acknowledged, lock, watermark, report } = parts
  const { directory } = database
  const fence = new WriteFence(parts)
  const close = async (): Promise<void> => {
    await fence.retire()
    try {
      await database.close()
      fence.end()
      await preallocation?.cut()
      watermark.sync()
      // LevelDB's own text log: it grows with every compaction, quotes keys, and nobody reads it.
      for (const name of ['LOG', 'LOG.old']) rmSync(join(directory, name), { force: true })
      protectFiles(directory)
      await verified.close()
    } catch (error) {
      throw isStoreError(error) ? error : fromLevel(error, 'close the store', directory)
    } finally {
      watermark.close()
      lock.release()
    }
  }
  return { directory, database, report, acknowledged, watermark, fence, preallocation, close }
}

/** Made before LevelDB is, so that LevelDB files without one are known to be no store of ours or not all of it. */
function createWatermark(directory: string, { durability }: CheckedOptions, leftovers: readonly string[]): Watermark {
  protectDirectory(directory)
  for (const name of leftovers) rmSync(join(directory, name), { force: true })
  const watermark = Watermark.create(directory, { storeId: randomBytes(16).toString('hex'), batches: 0, durability })
  syncDirectory(directory)
  return watermark
}

/** Writes what LevelDB does not have yet, and sets the watermark to what it has then. @throws `CORRUPT`, `UNSUPPORTED` */
async function fillDatabase(
  database: Database,
  examined: Examined,
  watermark: Watermark,
  { durability }: CheckedOptions,
): Promise<Acknowledged['counter']> {
  const { directory } = database
  if (examined.kind === 'new') await writeFirstRows(database, Watermark.read(directory).storeId)
  else await rewriteSkipped(database, examined.inspection)
  const { storeId, batches, sessions } = await readStoreRows(database)
  if (examined.kind === 'existing') compareIdentity(directory, examined.watermark, { storeId, batches, sessions })
  watermark.reset({ storeId, batches, durability })
  return { batches, sessions }
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
