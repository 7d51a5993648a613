import { join } from 'node:path'
import type { StoreError } from '@turnlog/core/backend'
import type { Lease } from '../file-system/file-pool.ts'
import { systemCode } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { writeAll, writeRest } from '../file-system/write-all.ts'
import { sessionSeed } from '../format/checksum.ts'
import { encodeBatch } from '../append/encode-batch.ts'
import { encodeFileName } from '../format/file-name.ts'
import { encodeHeader } from '../format/header.ts'
import { missingFile } from '../format/missing-file.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import { LineOffsets } from '../read/line-offsets.ts'
import { checkLine } from '../read/check-line.ts'
import type { Committed } from '../format/committed.ts'
import { locateLine } from '../read/locate-line.ts'
import { replaceFile, UnsettledName } from './replace-file.ts'
import { rewriteFile } from './rewrite-file.ts'
import { restoreFile } from './restore-file.ts'
import { removeAside } from '../recovery/set-aside.ts'
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

/** The file of one session in the hands of its only writer, one operation at a time. */
export class SessionFile {
  readonly session: string
  readonly path: string
  readonly #context: WriteContext
  readonly #name: string
  #isLoaded = false
  #committed: Committed | undefined
  #lineOffsets = new LineOffsets()
  /** The file may hold a batch that failed. Nothing is written or read before it is gone. */
  #isSuspect = false

  #seed: { readonly incarnation: string; readonly value: number } | undefined
  /** The old file while another one takes its place. */
  #outgoing: Lease | undefined

  constructor(context: WriteContext, session: string) {
    this.#context = context
    this.session = session
    this.#name = encodeFileName(session)
    this.path = join(context.directory, this.#name)
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Loaded, and in no doubt about what is on the disk. */
  get isSettled(): boolean {
    return this.#isLoaded && !this.#isSuspect
  }

  /** `undefined` if there is no such session. */
  get committed(): Committed | undefined {
    return this.#committed
  }

  get lineOffsets(): LineOffsets {
    return this.#lineOffsets
  }

  /** More of the file is trimmed than may stay. */
  get isDueForRewrite(): boolean {
    if (this.#committed === undefined) return false
    const { dataStart, liveStart, size } = this.#committed
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
    return missingFile(this.path, this.session, this.#committed?.head.last ?? 0)
  }

  async load(): Promise<void> {
    this.#committed = await this.#context.sessionIndex.get(this.#name)
    this.#isLoaded = true
  }

  /** Loads what is not known and gets rid of what must not be there. */
  async settle(): Promise<void> {
    if (!this.#isLoaded) await this.load()
    if (!this.#isSuspect) return
    try {
      await this.#restore(undefined)
    } catch (error) {
      const cause = error instanceof UnsettledName ? error.cause : error
      throw toStoreError(cause, 'bring back to its last good state', this.path, this.session)
    }
  }

  /** The file if it is open and as we left it. No hop, no promise: this is on the way of every append. */
  takeAsWeLeftIt(): Lease | undefined {
    return this.#committed === undefined ? undefined : this.#context.pool.take(this.#name, this.#committed.size)
  }

  /** The file, checked to be as we left it. If another program changed it, it is inspected again. */
  async openAsWeLeftIt(): Promise<Lease | undefined> {
    const { fileSystem, directory, pool, sessionIndex } = this.#context
    if (this.#committed === undefined) {
      const [stat] = await fileSystem.stat(directory, [this.#name])
      if (stat === undefined) return undefined
    } else {
      const lease = await this.open().catch((error: unknown) => {
        throw systemCode(error) === 'ENOENT' ? this.missing() : error
      })
      if (lease.file.stat().size === this.#committed.size) return lease
      lease.release()
      pool.retire(this.#name)
    }
    this.#isLoaded = false
    this.#lineOffsets = new LineOffsets()
    this.#committed = await sessionIndex.reload(this.#name)
    this.#isLoaded = true
    return this.#committed === undefined ? undefined : this.open()
  }

  /** Writes a batch that has been planned on `committed`; `lease` is `undefined` if it creates the session. */
  async write(batch: Batch, lease: Lease | undefined): Promise<void> {
    const { texts, start, first, incarnation, projectionText } = batch
    const old = this.#committed
    const header = old === undefined ? encodeHeader({ session: this.session, incarnation, base: start }) : undefined
    let liveStart = old?.liveStart ?? 0
    if (old !== undefined && lease !== undefined && first > old.head.first && first <= old.head.last) {
      liveStart = await locateLine(
        { file: lease.file, path: this.path, committed: old, lineOffsets: this.#lineOffsets },
        first,
      )
    }
    const position = old?.size ?? 0
    if (this.#seed?.incarnation !== incarnation) this.#seed = { incarnation, value: sessionSeed(incarnation) }
    const seed = this.#seed.value
    const encoded = encodeBatch({ header, texts, start, first, projectionText, seed, position, liveStart })
    const { bytes } = encoded
    try {
      if (lease === undefined) await this.#create(bytes)
      else {
        const taken = await lease.file.write(bytes, position)
        if (taken < bytes.length) await writeRest(lease.file, bytes, position, taken)
      }
    } catch (error) {
      if (lease !== undefined) {
        this.#isSuspect = true
        await this.#restore(error).catch(() => undefined) // stays suspect: the next operation tries again
      }
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
    this.#setCommitted({ session: this.session, head, projectionText, base, dataStart, liveStart: newLiveStart, size })
    this.#lineOffsets.add(start, old === undefined ? dataStart : position)
  }

  /** Removes the file and all that was set aside from it, also if that is all there is. */
  async erase(): Promise<void> {
    const committed = this.#committed
    const { fileSystem, sessionIndex } = this.#context
    try {
      await sessionIndex.forget(this.#name)
      // Remove the file last: while anything of the session is left, the session exists and can be erased again.
      await removeAside(fileSystem, this.path)
      await (committed === undefined ? this.#context.syncDirectory() : this.#remove())
    } catch (error) {
      if (committed !== undefined && this.#committed === committed) sessionIndex.set(this.#name, committed)
      throw toStoreError(error, 'erase', this.path, this.session)
    }
  }

  /** Removes trimmed bytes from the file; gives how many. */
  async rewrite(): Promise<number> {
    const committed = this.#committed
    if (committed === undefined || committed.liveStart === committed.dataStart) return 0
    const lease = await this.openAsWeLeftIt()
    if (lease === undefined) return 0
    try {
      if (this.#committed !== committed) return 0
      this.#outgoing = lease
      const snapshot = { file: lease.file, path: this.path, committed, lineOffsets: this.#lineOffsets }
      const { first, last } = committed.head
      const start = await locateLine(snapshot, first)
      if (first <= last) await checkLine(snapshot, first, start)
      const { rewritten, unsettled } = await rewriteFile(this.#context, this.#name, snapshot, start)
      this.#lineOffsets = new LineOffsets()
      this.#setCommitted(rewritten)
      if (unsettled !== undefined) {
        this.#isSuspect = true
        throw unsettled.cause
      }
      return committed.size - rewritten.size
    } catch (error) {
      throw toStoreError(error, 'rewrite', this.path, this.session)
    } finally {
      this.#outgoing = undefined
      lease.release()
    }
  }

  async #create(bytes: Buffer): Promise<void> {
    try {
      const lease = await replaceFile(this.#context, this.#name, (file) => writeAll(file, bytes, 0))
      lease.release()
    } catch (error) {
      if (!(error instanceof UnsettledName)) throw error
      this.#isSuspect = true
      await this.#restore(undefined).catch(() => undefined) // stays suspect: the next operation tries again
      throw error.cause
    }
  }

  /** Brings the file back to what is committed after a write failed. */
  async #restore(error: unknown): Promise<void> {
    const committed = this.#committed
    if (committed === undefined) return this.#remove()
    const lease = await this.open()
    try {
      await restoreFile(this.#context, this.#name, lease.file, committed.size, error)
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
    this.#committed = undefined
    this.#lineOffsets = new LineOffsets()
    pool.retire(this.#name)
    await this.#context.syncDirectory()
    this.#isSuspect = false
  }

  #setCommitted(committed: Committed): void {
    this.#committed = committed
    this.#context.sessionIndex.set(this.#name, committed)
  }
}
