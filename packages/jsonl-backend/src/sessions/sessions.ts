import { join } from 'node:path'
import type { Head } from '@turnlog/core/backend'
import { LruMap } from '@turnlog/storage-kit'
import { LRUCache } from 'lru-cache'
import type { Lease } from '../file-system/file-pool.ts'
import type { FileStat } from '../file-system/file-system.ts'
import { systemCode } from '../file-system/file-system.ts'
import { encodeFileName } from '../format/file-name.ts'
import { toStoreError } from '../to-store-error.ts'
import { Anchors } from '../read/anchors.ts'
import type { Committed } from '../format/committed.ts'
import { headOf } from '../format/committed.ts'
import type { Snapshot } from '../read/locate-line.ts'
import { SessionWriter } from './session-writer.ts'
import type { WriteContext } from './write-context.ts'

/** Sessions whose state is kept between operations; making it anew costs a look into the catalogue. */
const MAX_KEPT = 4096

export interface OpenSnapshot {
  readonly snapshot: Snapshot
  readonly lease: Lease
}

/** The sessions of an open directory, seen by its writer or by a reader beside it. */
export class Sessions {
  readonly #context: WriteContext & { readonly readOnly: boolean }
  readonly #writers = new LruMap<SessionWriter>((writer) => !writer.isIdle)
  /** What a reader knows of the lines of a file, as long as it is the same file. */
  readonly #anchors = new LRUCache<string, { readonly identity: string; readonly anchors: Anchors }>({ max: MAX_KEPT })

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

  /** Before anything is told of a session whose last write is in doubt. Most often nothing is. @throws `IO` */
  settle(session: string): Promise<void> | undefined {
    const writer = this.#writers.get(session)
    return writer?.isInDoubt === true ? writer.settle() : undefined
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
    const { fileSystem, pool, catalogue, directory } = this.#context
    const name = encodeFileName(session)
    const path = join(directory, name)
    for (;;) {
      let lease: Lease
      try {
        lease = await pool.acquire(name)
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw toStoreError(error, 'read', path, session)
        catalogue.checkMissing(name)
        return undefined
      }
      try {
        const stat = lease.file.stat()
        const known = catalogue.peekSame(name, stat)
        const committed = known ?? (await catalogue.reload(name))
        // What was looked at is what has the name: after that it must still be the open file, and long enough.
        const now = known === undefined ? fileSystem.statNow(path) : stat
        if (committed === undefined || now?.inode !== stat.inode || now.size < committed.size) {
          lease.release()
          pool.retire(name)
          continue
        }
        return {
          lease,
          snapshot: { file: lease.file, path, committed, anchors: this.#anchorsOf(name, stat, committed) },
        }
      } catch (error) {
        lease.release()
        throw error
      }
    }
  }

  #anchorsOf(name: string, { inode }: FileStat, { head, base, dataStart }: Committed): Anchors {
    // The number of a file that was removed is given to the next one, often at once.
    const identity = `${inode} ${dataStart} ${base} ${head.incarnation}`
    const kept = this.#anchors.get(name)
    if (kept?.identity === identity) return kept.anchors
    const anchors = new Anchors()
    this.#anchors.set(name, { identity, anchors })
    return anchors
  }
}
