import { join } from 'node:path'
import type { Head } from '@turnlog/core/backend'
import { LruMap } from '@turnlog/storage-kit'
import type { Lease } from '../file-system/file-pool.ts'
import { systemCode } from '../file-system/file-system.ts'
import { encodeFileName } from '../format/file-name.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import { headOf } from '../format/committed.ts'
import type { Snapshot } from '../read/locate-line.ts'
import { SessionWriter } from './session-writer.ts'
import type { WriteContext } from './write-context.ts'

/** Sessions whose state is kept between operations; making it again costs a look into the index. */
const MAX_KEPT = 4096

export interface OpenSnapshot {
  readonly snapshot: Snapshot
  readonly lease: Lease
}

/** The sessions of an open directory, seen by its writer or by a reader beside it. */
export class Sessions {
  readonly #context: WriteContext & { readonly readOnly: boolean }
  readonly #writers = new LruMap<SessionWriter>((writer) => !writer.isIdle)

  constructor(context: WriteContext & { readonly readOnly: boolean }) {
    this.#context = context
  }

  writer(session: string): SessionWriter {
    const kept = this.#writers.get(session)
    if (kept !== undefined) return kept
    this.#writers.shrink(MAX_KEPT - 1)
    const writer = new SessionWriter(this.#context, session)
    this.#writers.set(session, writer)
    return writer
  }

  /** Call this before reading a session whose last write failed; `undefined` if there is nothing to wait for. @throws `IO` */
  settle(session: string): Promise<void> | undefined {
    const writer = this.#writers.get(session)
    return writer?.isSuspect === true ? writer.settle() : undefined
  }

  async head(session: string): Promise<Head | undefined> {
    if (!this.#context.readOnly) return this.writer(session).head()
    const opened = await this.#open(session)
    opened?.lease.release()
    return opened === undefined ? undefined : headOf(opened.snapshot.committed)
  }

  snapshot(session: string): Promise<OpenSnapshot | undefined> {
    return this.#context.readOnly ? this.#open(session) : this.writer(session).snapshot()
  }

  /** Waits for work in the background. */
  async close(): Promise<void> {
    await Promise.all(this.#writers.values().map((writer) => writer.settled()))
  }

  /** A reader's look: the file may be appended to, replaced or removed by the writer at any moment. */
  async #open(session: string): Promise<OpenSnapshot | undefined> {
    const { fileSystem, pool, sessionIndex, directory } = this.#context
    const name = encodeFileName(session)
    const path = join(directory, name)
    for (;;) {
      let lease: Lease
      try {
        lease = await pool.acquire(name)
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw toStoreError(error, 'read', path, session)
        sessionIndex.checkMissing(name)
        return undefined
      }
      try {
        const stat = lease.file.stat()
        const known = sessionIndex.peekSame(name, stat)
        const committed = known ?? (await sessionIndex.reload(name))
        // The index inspected whatever has the name. That must still be the open file, and the file must be long enough.
        const now = known === undefined ? fileSystem.statNow(path) : stat
        if (committed === undefined || now?.inode !== stat.inode || now.size < committed.size) {
          lease.release()
          pool.retire(name)
          continue
        }
        return {
          lease,
          snapshot: { file: lease.file, path, committed, lineOffsets: lease.lineOffsets },
        }
      } catch (error) {
        lease.release()
        throw error
      }
    }
  }
}
