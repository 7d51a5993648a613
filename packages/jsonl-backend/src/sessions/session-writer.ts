import type { AppendOptions, EventRecord, Expected, Head, Json } from '@turnlog/core/backend'
import { eraseConflict, planAppend, StoreError } from '@turnlog/core/backend'
import { mapInTurns } from '@turnlog/storage-kit'
import type { Lease } from '../file-system/file-pool.ts'
import { systemCode } from '../file-system/file-system.ts'
import { toStoreError } from '../file-system/to-store-error.ts'
import { headOf } from '../format/committed.ts'
import type { Snapshot } from '../read/locate-line.ts'
import { SessionFile } from './session-file.ts'
import type { WriteContext } from './write-context.ts'

/** Events turned into text before other work has its turn: a few milliseconds. */
const EVENTS_AT_ONCE = 500

/** The operations on one session, one after the other. */
export class SessionWriter {
  readonly #file: SessionFile
  /** Settles with the last operation that was begun; `undefined` when none is under way. */
  #last: Promise<void> | undefined
  /** Calls that are about to begin an operation or to open the file. */
  #pins = 0

  constructor(context: WriteContext, session: string) {
    this.#file = new SessionFile(context, session)
  }

  /** Nothing waits and nothing is in doubt: the object may be dropped and made again. */
  get isIdle(): boolean {
    return this.#last === undefined && this.#pins === 0 && !this.#file.isSuspect
  }

  /** A write failed, and it is not sure yet that nothing of it is left. */
  get isSuspect(): boolean {
    return this.#file.isSuspect
  }

  append(
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options: AppendOptions | undefined,
  ): Promise<void> {
    const { session } = this.#file
    const projectionText = stringify(projection, session)
    const write = (texts: readonly string[]): Promise<void> =>
      this.#exclusively(() => this.#write({ expected, events, texts, projectionText, options }))
    const text = (event: EventRecord): string => stringify(event, session)
    if (events.length <= EVENTS_AT_ONCE) return write(events.map(text))
    return this.#pin(async () => write(await mapInTurns(events, EVENTS_AT_ONCE, text)))
  }

  /** Loads what is not known and gets rid of what must not be there. @throws `IO`, `CORRUPT` */
  settle(): Promise<void> {
    return this.#exclusively(() => this.#file.settle())
  }

  async head(): Promise<Head | undefined> {
    if (!this.#file.isSettled) await this.settle()
    const { committed } = this.#file
    return committed === undefined ? undefined : headOf(committed)
  }

  /** The file as it is now, with a lease on it that the caller releases. */
  snapshot(): Promise<{ readonly snapshot: Snapshot; readonly lease: Lease } | undefined> {
    return this.#pin(() => this.#snapshot())
  }

  async #snapshot(): Promise<{ readonly snapshot: Snapshot; readonly lease: Lease } | undefined> {
    const file = this.#file
    for (;;) {
      if (!file.isSettled) await this.settle()
      const { committed } = file
      if (committed === undefined) return undefined
      const wasBeingReplaced = file.isBeingReplaced
      const lease = await file.open().catch(async (error: unknown) => {
        if (systemCode(error) !== 'ENOENT') throw error
        // An erasure may be under way. After it, either the session is gone or the file must be there.
        await this.#exclusively(async () => {
          if (file.committed === committed) throw file.missing()
        })
      })
      if (lease === undefined) continue
      // A rewrite may have replaced the file while it was being opened.
      const isTheSame = committed === file.committed && wasBeingReplaced === file.isBeingReplaced
      if (isTheSame) return { lease, snapshot: file.snapshotOf(lease, committed) }
      lease.release()
    }
  }

  erase(expectedLast: number): Promise<void> {
    return this.#exclusively(async () => {
      await this.#file.settle()
      const { session } = this.#file
      const actual = this.#file.committed?.head.last ?? 0
      if (actual !== expectedLast) throw eraseConflict(session, expectedLast, actual)
      await this.#file.erase()
    })
  }

  /** Removes trimmed bytes from the file; gives how many. */
  reclaim(): Promise<number> {
    return this.#exclusively(async () => {
      await this.#file.settle()
      return this.#file.rewrite()
    })
  }

  /** Resolves when every operation that was begun has ended. */
  settled(): Promise<void> {
    return this.#last ?? Promise.resolve()
  }

  /** Keeps this object from being dropped: of two for one session each would write over what the other has written. */
  async #pin<T>(work: () => Promise<T>): Promise<T> {
    this.#pins++
    try {
      return await work()
    } finally {
      this.#pins--
    }
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last === undefined ? work() : this.#last.then(work)
    const ended = (): void => {
      if (this.#last === last) this.#last = undefined
    }
    const last: Promise<void> = done.then(ended, ended)
    this.#last = last
    return done
  }

  async #write({ expected, events, texts, projectionText, options }: Append): Promise<void> {
    const file = this.#file
    let lease: Lease | undefined
    const trimmedBefore = file.committed?.head.first
    try {
      if (!file.isSettled) await file.settle()
      lease = file.takeAsWeLeftIt() ?? (await file.openAsWeLeftIt())
      const { first, last } = planAppend(file.session, file.committed?.head, expected, events, options)
      const start = last - texts.length + 1
      await file.write({ texts, start, first, incarnation: expected.incarnation, projectionText }, lease)
    } catch (error) {
      throw toStoreError(error, 'append to', file.path, file.session)
    } finally {
      lease?.release()
    }
    if (file.committed?.head.first !== trimmedBefore && file.isDueForRewrite) {
      // Not urgent, and no caller waits: if it fails, the old file is still good and the next trim tries again.
      void this.reclaim().catch(() => undefined)
    }
  }
}

interface Append {
  readonly expected: Expected
  readonly events: readonly EventRecord[]
  readonly texts: readonly string[]
  readonly projectionText: string
  readonly options: AppendOptions | undefined
}

/** @throws `TOO_LARGE` */
function stringify(value: EventRecord | Json, session: string): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new StoreError(
      'TOO_LARGE',
      `Cannot append to session ${JSON.stringify(session)}: an event is too large or too deeply nested for JSON.stringify. Split it.`,
      { session, cause: error },
    )
  }
}
