import { join } from 'node:path'
import type { StoreError } from '@turnlog/core/backend'
import type { Lease } from '../file-system/file-pool.ts'
import type { OpenFile } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { replaceFile } from '../file-system/replace-file.ts'
import { writeAll } from '../file-system/write-all.ts'
import { sessionSeed } from '../format/checksum.ts'
import { encodeBatch } from '../append/encode-batch.ts'
import { encodeFileName } from '../format/file-name.ts'
import { encodeHeader } from '../format/header.ts'
import { missingFile } from '../format/corrupt.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import type { Committed } from '../format/committed.ts'
import { headOf } from '../format/committed.ts'
import type { Snapshot } from '../read/locate-line.ts'
import { checkLine, locateLine } from '../read/locate-line.ts'
import { copyBytes, removeAside } from '../recovery/set-aside.ts'
import type { WriteContext } from './write-context.ts'

/** One batch to be written. */
export interface Batch {
  readonly texts: readonly string[]
  /** Seq of the first text. */
  readonly start: number
  readonly first: number
  readonly incarnation: string
  readonly projectionText: string
}

/** Errors that mean that nothing was allocated: the disk is as it was. */
const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The file of one session in the hands of its only writer, one operation at a time. What it holds, the index knows. */
export class SessionFile {
  readonly session: string
  readonly path: string
  readonly #context: WriteContext
  readonly #name: string
  /** The file may hold a batch that failed. Nothing is written or read before it is gone. */
  #isSuspect = false
  #isReloading = false
  #seed: { readonly incarnation: string; readonly value: number } | undefined
  /** The old file while another one takes its place. */
  #outgoing: Lease | undefined
  /** What the file held when its erasure began: the index has forgotten it, and the file is still there. */
  #erasing: Committed | undefined

  constructor(context: WriteContext, session: string) {
    this.#context = context
    this.session = session
    this.#name = encodeFileName(session)
    this.path = join(context.directory, this.#name)
  }

  /** A write failed, and it is not sure yet that nothing of it is left. */
  get isSuspect(): boolean {
    return this.#isSuspect
  }

  /** There is no doubt about what is on the disk. */
  get isSettled(): boolean {
    return !this.#isSuspect && !this.#isReloading && this.#context.sessionIndex.isReadable(this.#name)
  }

  /** `undefined` if there is no such session. */
  get committed(): Committed | undefined {
    return this.#erasing ?? this.#context.sessionIndex.peek(this.#name)
  }

  /** More of the file is trimmed than may stay. */
  get isDueForRewrite(): boolean {
    const { committed } = this
    if (committed === undefined) return false
    const { dataStart, liveStart, size } = committed
    return liveStart - dataStart > size * this.#context.rewriteWhenTrimmed
  }

  /** Another file is about to have the name, and `committed` does not describe it yet. */
  get isBeingReplaced(): boolean {
    return this.#outgoing !== undefined
  }

  /** The file that `committed` describes. */
  async open(): Promise<Lease> {
    return this.#outgoing?.share() ?? this.#context.pool.acquire(this.#name)
  }

  /** The error if the file is missing although the session was not erased. */
  missing(): StoreError {
    return missingFile(this.path, this.session, this.committed?.head.last ?? 0)
  }

  /** Finds out what is not known and gets rid of what must not be there. */
  async settle(): Promise<void> {
    await this.#context.sessionIndex.get(this.#name)
    if (!this.#isSuspect) return
    try {
      await this.#restore(undefined)
    } catch (error) {
      throw toStoreError(error, 'bring back to its last good state', this.path, this.session)
    }
  }

  /** The file if it is open and as we left it. No hop, no promise: this is on the way of every append. */
  takeAsWeLeftIt(): Lease | undefined {
    const { committed } = this
    return committed === undefined ? undefined : this.#context.pool.take(this.#name, committed.size)
  }

  /** The file, checked to be as we left it. If another program changed it, it is inspected again. */
  async openAsWeLeftIt(): Promise<Lease | undefined> {
    const { fileSystem, pool, sessionIndex } = this.#context
    const { committed } = this
    if (committed === undefined) {
      if (fileSystem.statNow(this.path) === undefined) return undefined
    } else {
      const lease = await this.open().catch((error: unknown) => {
        throw systemCode(error) === 'ENOENT' ? this.missing() : error
      })
      if (lease.file.stat().size === committed.size) return lease
      lease.release()
      pool.retire(this.#name)
    }
    this.#isReloading = true
    try {
      return (await sessionIndex.reload(this.#name)) === undefined ? undefined : await this.open()
    } finally {
      this.#isReloading = false
    }
  }

  /** Writes a batch that has been planned on `committed`; `lease` is `undefined` if it creates the session. */
  async write(batch: Batch, lease: Lease | undefined): Promise<void> {
    const { texts, start, first, incarnation, projectionText } = batch
    const old = this.committed
    const header = old === undefined ? encodeHeader({ session: this.session, incarnation, base: start }) : undefined
    let liveStart = old?.liveStart ?? 0
    if (old !== undefined && lease !== undefined && first > old.head.first && first <= old.head.last) {
      liveStart = await locateLine(this.snapshotOf(lease, old), first)
    }
    const position = old?.size ?? 0
    if (this.#seed?.incarnation !== incarnation) this.#seed = { incarnation, value: sessionSeed(incarnation) }
    const seed = this.#seed.value
    const encoded = encodeBatch({ header, texts, start, first, projectionText, seed, position, liveStart })
    const { bytes } = encoded
    try {
      if (lease === undefined) await this.#create(bytes)
      else await writeAll(lease.file, bytes, position)
    } catch (error) {
      if (lease !== undefined) this.#isSuspect = true
      if (this.#isSuspect) await this.#restore(error).catch(() => undefined) // stays so: the next operation tries again
      throw error
    } finally {
      encoded.release()
    }
    const size = position + bytes.length
    const last = start + texts.length - 1
    const dataStart = old?.dataStart ?? header?.length ?? 0
    const { liveStart: newLiveStart } = encoded
    const head = { first, last, incarnation, bytes: size - newLiveStart }
    const base = old?.base ?? start
    this.#context.sessionIndex.set(this.#name, {
      session: this.session,
      head,
      projectionText,
      base,
      dataStart,
      liveStart: newLiveStart,
      size,
    })
    lease?.lineOffsets.add(start, position)
  }

  /** Removes the file and all that was set aside from it, also if that is all there is. */
  async erase(): Promise<void> {
    const { committed } = this
    const { fileSystem, sessionIndex } = this.#context
    this.#erasing = committed
    try {
      await sessionIndex.forget(this.#name)
      // Remove the file last: while anything of the session is left, the session exists and can be erased again.
      await removeAside(fileSystem, this.path)
      await (committed === undefined ? this.#context.syncDirectory() : this.#remove())
    } catch (error) {
      if (this.#erasing !== undefined) sessionIndex.set(this.#name, this.#erasing)
      throw toStoreError(error, 'erase', this.path, this.session)
    } finally {
      this.#erasing = undefined
    }
  }

  /** Removes trimmed bytes from the file; gives how many. */
  async rewrite(): Promise<number> {
    const { committed } = this
    if (committed === undefined || committed.liveStart === committed.dataStart) return 0
    const lease = await this.openAsWeLeftIt()
    if (lease === undefined) return 0
    try {
      if (this.committed !== committed) return 0
      this.#outgoing = lease
      const rewritten = await this.#copyWithoutTrimmed(this.snapshotOf(lease, committed))
      this.#outgoing = undefined
      this.#context.sessionIndex.set(this.#name, rewritten)
      await this.#syncName()
      return committed.size - rewritten.size
    } catch (error) {
      throw toStoreError(error, 'rewrite', this.path, this.session)
    } finally {
      this.#outgoing = undefined
      lease.release()
    }
  }

  /** `committed` and the file that it describes. */
  snapshotOf({ file, lineOffsets }: Lease, committed: Committed): Snapshot {
    return { file, path: this.path, committed, lineOffsets }
  }

  /**
   * Puts a file without the trimmed lines in place of the old one. The lines that stay are copied as they are: their
   * checksums know the seq, not the place. If none stays, the header carries the projection.
   */
  async #copyWithoutTrimmed(snapshot: Snapshot): Promise<Committed> {
    const { file: source, committed } = snapshot
    const { head, size } = committed
    const { first, last, incarnation } = head
    const start = await locateLine(snapshot, first)
    const isEmpty = first > last
    if (!isEmpty) await checkLine(snapshot, first, start)
    const empty = { projection: headOf(committed).projection }
    const header = encodeHeader({ session: this.session, incarnation, base: first, ...(isEmpty ? { empty } : {}) })
    await this.#replace(async (file) => {
      await writeAll(file, header, 0)
      await copyBytes(source, file, start, size, header.length)
    })
    const dataStart = header.length
    return { ...committed, base: first, dataStart, liveStart: dataStart, size: dataStart + size - start }
  }

  async #create(bytes: Buffer): Promise<void> {
    await this.#replace((file) => writeAll(file, bytes, 0))
    await this.#syncName()
  }

  async #replace(write: (file: OpenFile) => Promise<void>): Promise<void> {
    const { fileSystem, durability, pool } = this.#context
    const file = await replaceFile(fileSystem, this.path, durability === 'sync', write)
    pool.adopt(this.#name, file).release()
  }

  /** Until it resolves, the name of a new file may not survive a power failure. */
  async #syncName(): Promise<void> {
    if (this.#context.durability === 'os') return
    try {
      await this.#context.syncDirectory()
    } catch (error) {
      this.#isSuspect = true
      throw error
    }
  }

  /**
   * Brings the file back to what is committed after a write failed with `error`.
   *
   * A failed sync is never repeated: the kernel may have dropped the pages and then report success. So unless there was
   * simply no space, the good part is copied to a new file.
   */
  async #restore(error: unknown): Promise<void> {
    const { committed } = this
    if (committed === undefined) return this.#remove()
    const { size } = committed
    const { durability } = this.#context
    const lease = await this.open()
    try {
      const mayCut = durability === 'os' || NO_SPACE.has(systemCode(error))
      if (!mayCut || !(await cutBack(lease.file, size, durability === 'sync'))) {
        await this.#replace((target) => copyBytes(lease.file, target, 0, size, 0))
        await this.#syncName()
      }
      this.#isSuspect = false
    } finally {
      lease.release()
    }
  }

  /** Removes the file, and leaves what was set aside from it: that may be the only copy. */
  async #remove(): Promise<void> {
    const { fileSystem, pool } = this.#context
    await removeIfThere(fileSystem, this.path)
    this.#isSuspect = true
    this.#erasing = undefined
    pool.retire(this.#name)
    await this.#context.syncDirectory()
    this.#isSuspect = false
  }
}

async function cutBack(file: OpenFile, size: number, sync: boolean): Promise<boolean> {
  try {
    await file.truncate(size)
    if (sync) await file.sync()
    return true
  } catch {
    return false // a copy is the second way
  }
}
