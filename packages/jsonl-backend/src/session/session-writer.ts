import type { AppendOptions, EventRecord, Expected, Head, Json } from '@turnlog/core/backend'
import { eraseConflict, planAppend } from '@turnlog/core/backend'
import type { Lease } from '../file-system/file-pool.ts'
import { systemCode } from '../file-system/file-system.ts'
import { toStoreError } from '../format/to-store-error.ts'
import { headOf } from './committed.ts'
import { EVENTS_AT_ONCE, stringify, stringifyInTurns } from './event-texts.ts'
import type { Snapshot } from './locate-line.ts'
import { SessionFile } from './session-file.ts'
import type { WriteContext } from './write-context.ts'

interface PendingAppend {
  readonly kind: 'append'
  readonly expected: Expected
  readonly events: readonly EventRecord[]
  readonly texts: readonly string[]
  readonly projectionText: string
  readonly options: AppendOptions | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface PendingWork {
  readonly kind: 'work'
  readonly run: () => Promise<void>
}

/** Characters that go out in one write: enough for any number of messages, small enough for one buffer. */
const MAX_GATHERED_CHARACTERS = 8 * 1024 * 1024

/**
 * The queue of one session. Appends that wait while one is being written go out together, as one batch in one write:
 * none of them is acknowledged before it is on disk, and a crash leaves all of them or none.
 */
export class SessionWriter {
  readonly #file: SessionFile
  readonly #queue: (PendingAppend | PendingWork)[] = []
  #isDraining = false
  /** Calls that have yet to come to the queue, or are about to open the file. */
  #holds = 0

  constructor(context: WriteContext, session: string) {
    this.#file = new SessionFile(context, session)
  }

  /** Nothing waits and nothing is in doubt: the object may be dropped and made again. */
  get isIdle(): boolean {
    return !this.#isDraining && this.#holds === 0 && (this.#file.isSettled || !this.#file.isLoaded)
  }

  /** A write failed, and it is not sure yet that nothing of it is left. */
  get isInDoubt(): boolean {
    return this.#file.isLoaded && !this.#file.isSettled
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
      new Promise((resolve, reject) => {
        this.#push({ kind: 'append', expected, events, texts, projectionText, options, resolve, reject })
      })
    if (events.length > EVENTS_AT_ONCE) return this.#hold(async () => write(await stringifyInTurns(events, session)))
    return write(events.map((event) => stringify(event, session)))
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
    return this.#hold(() => this.#snapshot())
  }

  async #snapshot(): Promise<{ readonly snapshot: Snapshot; readonly lease: Lease } | undefined> {
    const file = this.#file
    if (!file.isSettled) await this.settle()
    for (;;) {
      const { committed, anchors, path } = file
      if (committed === undefined) return undefined
      const wasBeingReplaced = file.isBeingReplaced
      const lease = await file.open().catch(async (error: unknown) => {
        if (systemCode(error) !== 'ENOENT') throw error
        // An erasure may be under way: behind it the session is gone, or the file should be there.
        await this.#exclusively(async () => {
          if (file.committed === committed) throw file.missing()
        })
      })
      if (lease === undefined) continue
      // A rewrite may have replaced the file while it was being opened.
      const isTheSame = anchors === file.anchors && wasBeingReplaced === file.isBeingReplaced
      if (isTheSame) return { lease, snapshot: { file: lease.file, path, committed, anchors } }
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
  async reclaim(): Promise<number> {
    let freed = 0
    await this.#exclusively(async () => {
      await this.#file.settle()
      freed = await this.#file.rewrite()
    })
    return freed
  }

  /** Resolves when everything that waits now is done. */
  settled(): Promise<void> {
    return this.#isDraining ? this.#exclusively(() => Promise.resolve()) : Promise.resolve()
  }

  /** Of two objects for one session each would write over what the other has written. */
  async #hold<T>(work: () => Promise<T>): Promise<T> {
    this.#holds += 1
    try {
      return await work()
    } finally {
      this.#holds -= 1
    }
  }

  #push(pending: PendingAppend | PendingWork): void {
    this.#queue.push(pending)
    if (!this.#isDraining) void this.#drain()
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#push({ kind: 'work', run: () => work().then(resolve, reject) })
    })
  }

  /** Never rejects: every failure is told to those whose work it was. */
  async #drain(): Promise<void> {
    this.#isDraining = true
    for (let pending; (pending = this.#queue.shift()) !== undefined;) {
      if (pending.kind === 'work') {
        await pending.run()
        continue
      }
      const again = await this.#write(this.#gather(pending))
      this.#queue.unshift(...again)
    }
    this.#isDraining = false
  }

  #gather(append: PendingAppend): PendingAppend[] {
    const gathered = [append]
    let characters = lengthOf(append)
    for (;;) {
      const next = this.#queue[0]
      if (next?.kind !== 'append') return gathered
      characters += lengthOf(next)
      if (characters > MAX_GATHERED_CHARACTERS) return gathered
      gathered.push(next)
      this.#queue.shift()
    }
  }

  /** Gives back the appends that have to be judged anew. */
  async #write(appends: readonly PendingAppend[]): Promise<readonly PendingAppend[]> {
    const file = this.#file
    let lease: Lease | undefined
    const accepted: PendingAppend[] = []
    const refused: { readonly append: PendingAppend; readonly error: unknown }[] = []
    const trimmedBefore = file.committed?.head.first
    try {
      if (!file.isSettled) await file.settle()
      lease = file.takeAsWeLeftIt() ?? (await file.openAsWeLeftIt())
      let head: Pick<Head, 'first' | 'last' | 'incarnation'> | undefined = file.committed?.head
      for (const append of appends) {
        try {
          const { expected, events, options } = append
          const { first, last } = planAppend(file.session, head, expected, events, options)
          head = { first, last, incarnation: expected.incarnation }
          accepted.push(append)
        } catch (error) {
          // Judged on appends that are not written yet, so it may be told only when they are.
          if (accepted.length === 0) append.reject(error)
          else refused.push({ append, error })
        }
      }
      const newest = accepted.at(-1)
      if (newest === undefined || head === undefined) return []
      const projectionText = newest.projectionText
      const texts = accepted.length === 1 ? newest.texts : accepted.flatMap((append) => append.texts)
      const start = head.last - texts.length + 1
      const { first, incarnation } = head
      await file.write({ texts, start, first, incarnation, projectionText }, lease)
    } catch (error) {
      const failure = toStoreError(error, 'append to', file.path, file.session)
      for (const append of accepted.length === 0 ? appends : accepted) append.reject(failure)
      return refused.map(({ append }) => append)
    } finally {
      lease?.release()
    }
    for (const append of accepted) append.resolve()
    for (const { append, error } of refused) append.reject(error)
    if (file.committed?.head.first !== trimmedBefore && file.isDueForRewrite) {
      // Not urgent, and nobody to tell: if it fails, the old file is still good and the next trim tries again.
      void this.reclaim().catch(() => undefined)
    }
    return []
  }
}

function lengthOf({ texts }: PendingAppend): number {
  let length = 0
  for (const text of texts) length += text.length
  return length
}
