import type { StoreSettings } from '../config/store-config.ts'
import { StoreError } from '../errors/store-error.ts'
import type { Position } from '../events/run.ts'
import type { JsonObject } from '../json/json.ts'
import { checkKey } from '../keys/check-key.ts'
import { normaliseJson } from '../normalise/normalise-json.ts'
import { normaliseMessage } from '../normalise/normalise-message.ts'
import { planAddMessages } from '../plan/add-messages.ts'
import { planCompact } from '../plan/compact.ts'
import { cutBefore, cutToLast, planCut } from '../plan/cut.ts'
import { planDelete } from '../plan/delete.ts'
import type { Draft } from '../plan/draft.ts'
import { planFork } from '../plan/fork.ts'
import { planReplaceFrom } from '../plan/replace-from.ts'
import { planRestore } from '../plan/restore.ts'
import { planSetHistory } from '../plan/set-history.ts'
import { planSetMetadata } from '../plan/set-metadata.ts'
import type { SummaryRequest } from '../plan/summarize.ts'
import { planSummarize } from '../plan/summarize.ts'
import { SessionQueues } from '../queue/session-queues.ts'
import type { SessionState } from '../view/session-state.ts'
import { visibleVersion } from '../view/session-state.ts'
import { stateAt } from '../view/state-at.ts'
import { checkText, checkWholeNumber, checkWriteOptions, describe } from './check-options.ts'
import { internMessages } from './intern-messages.ts'
import type {
  CompactResult,
  DeleteOptions,
  SessionStore,
  TruncateOptions,
  TruncateResult,
  WriteOptions,
  WriteResult,
} from './session-store.ts'
import type { StoreParts } from './reading-store.ts'
import { ReadingStore } from './reading-store.ts'
import { provideInternals } from './store-internals.ts'
import type { Planned } from '../queue/intent.ts'

const DEFAULT_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * The way of a message: normalised here, planned on a draft (`plan/`), written by its session's queue (`queue/`), folded
 * into the view (`view/`) and kept (`cache/`).
 */
export class Store<M extends object> extends ReadingStore<M> implements SessionStore<M> {
  readonly #queues: SessionQueues<M>
  readonly #maxMessageBytes: number
  readonly #now: () => number

  constructor(parts: StoreParts, settings: StoreSettings<M>) {
    super(parts, settings)
    const { limits, clock = Date } = settings
    this.#maxMessageBytes = limits?.maxMessageBytes ?? DEFAULT_MESSAGE_BYTES
    this.#now = () => clock.now()
    this.#queues = new SessionQueues({
      backend: parts.backend,
      now: this.#now,
      load: (session) => this.states.load(session),
      settled: (session, state) => {
        this.states.keep(session, state)
        this.signals.wake(session)
      },
      forget: (session) => this.states.forget(session),
    })
    provideInternals<M>(this, {
      backend: parts.backend,
      maxMessageBytes: () => this.#maxMessageBytes,
      load: (key) => this.loadState(key),
      write: async (key, intent) => {
        this.check(key)
        return this.#queues.enqueue(key, intent)
      },
      refresh: (key) => {
        this.states.forget(key)
        this.signals.wake(key)
      },
    })
  }

  async addMessage(
    key: string,
    roleOrMessage: string | M,
    contentOrOptions?: string | WriteOptions,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    if (typeof roleOrMessage === 'string') {
      checkText('content', contentOrOptions)
      return this.#addMessages(key, [{ role: roleOrMessage, content: contentOrOptions }], 'message', options)
    }
    return this.#addMessages(key, [roleOrMessage], 'message', contentOrOptions as WriteOptions | undefined)
  }

  async addMessages(key: string, messages: readonly M[], options?: WriteOptions): Promise<WriteResult> {
    return this.#addMessages(key, messages, 'messages', options)
  }

  #addMessages(key: string, input: readonly unknown[], name: string, options?: WriteOptions): Promise<WriteResult> {
    const messages =
      name === 'message'
        ? [normaliseMessage<M>(input[0], name, this.#maxMessageBytes)]
        : internMessages<M>(input, this.#maxMessageBytes)
    const request = ['add', messages]
    return this.#write(key, options, request, bytesOf(messages), (draft) => planAddMessages(draft, messages))
  }

  async setSummary(key: string, summary: string, options?: WriteOptions): Promise<WriteResult> {
    checkText('summary', summary)
    return this.#write(key, options, ['summary', summary], summary.length, (draft) => draft.setSummary(summary))
  }

  async truncateHistory(
    key: string,
    keepLast: number | { readonly before: Position },
    options: TruncateOptions = {},
  ): Promise<TruncateResult> {
    const exact = options.exact === true
    if (typeof keepLast === 'object' && keepLast !== null) checkWholeNumber('before', keepLast.before)
    else if (!Number.isSafeInteger(keepLast)) {
      throw new StoreError('INVALID_ARGUMENT', `keepLast is a whole number or { before }, not ${describe(keepLast)}.`)
    }
    return this.#write(key, options, ['truncate', keepLast, exact], 0, (draft) => {
      const cut =
        typeof keepLast === 'number'
          ? cutToLast(draft.state, keepLast, exact)
          : cutBefore(key, draft.state, keepLast.before, exact)
      return planCut(draft, cut, this.toolLinks)
    })
  }

  async setHistory(key: string, messages: readonly M[], options?: WriteOptions): Promise<WriteResult> {
    const history = internMessages<M>(messages, this.#maxMessageBytes, this.states.peek(key))
    return this.#write(key, options, ['history', history], bytesOf(history), (draft) => planSetHistory(draft, history))
  }

  async summarize(key: string, request: SummaryRequest, options?: WriteOptions): Promise<TruncateResult> {
    const { summary, through, version } = request
    checkText('summary', summary)
    checkWholeNumber('through', through)
    checkWholeNumber('version', version)
    const asked = { summary, through, version }
    return this.#write(key, options, ['summarize', asked], summary.length, (draft) =>
      planSummarize(key, draft, asked, this.toolLinks),
    )
  }

  async replaceFrom(
    key: string,
    position: Position,
    messages: readonly M[],
    options?: WriteOptions,
  ): Promise<WriteResult> {
    checkWholeNumber('position', position)
    const replacement = internMessages<M>(messages, this.#maxMessageBytes)
    return this.#write(key, options, ['replace', position, replacement], bytesOf(replacement), (draft) =>
      planReplaceFrom(key, draft, position, replacement),
    )
  }

  async restore(key: string, { at }: { readonly at: number }, options?: WriteOptions): Promise<WriteResult> {
    let past: SessionState<M> | undefined
    const prepare = async (settled: SessionState<M>): Promise<void> => {
      past = await stateAt(this.source, key, settled, at)
    }
    const plan = (draft: Draft<M>): void => planRestore(key, draft, past as SessionState<M>)
    return this.#write(key, options, ['restore', at], 0, plan, prepare)
  }

  async fork(from: string, to: string, options: { readonly at?: number } = {}): Promise<WriteResult> {
    checkKey(to)
    const present = await this.loadState(from)
    const version = visibleVersion(present)
    if (version === 0) {
      throw new StoreError('NOT_FOUND', `Cannot fork session ${JSON.stringify(from)}: it does not exist.`, {
        session: from,
      })
    }
    const at = options.at ?? version
    const source = { ...(await stateAt(this.source, from, present, at)), metadata: present.metadata }
    return this.#write(to, { expectedVersion: 0 }, [], source.bytes, (draft) => planFork(draft, source, { from, at }))
  }

  async setMetadata(
    key: string,
    metadata: Readonly<Record<string, unknown>>,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
      throw new StoreError('INVALID_ARGUMENT', `metadata is an object, not ${describe(metadata)}.`)
    }
    const changes = normaliseJson(metadata, 'metadata').value as JsonObject
    return this.#write(key, options, ['metadata', changes], 0, (draft) => planSetMetadata(key, draft, changes))
  }

  async note(key: string, kind: string, data: unknown, options?: WriteOptions): Promise<WriteResult> {
    checkText('kind', kind)
    const { value, bytes } = normaliseJson(data, 'data')
    return this.#write(key, options, ['note', kind, value], bytes, (draft) => {
      draft.add('Noted', { kind, data: value })
    })
  }

  async compact(key: string): Promise<CompactResult> {
    this.check(key)
    const { backend } = this.source
    const before = await backend.head(key)
    if (before === undefined) return { eventsRemoved: 0, bytesFreed: 0 }
    const eventBytes = before.bytes / (before.last - before.first + 1)
    let eventsRemoved = 0
    await this.#write(key, undefined, [], 0, (draft) => {
      eventsRemoved = planCompact(draft, { eventBytes })
    })
    if (eventsRemoved === 0) return { eventsRemoved, bytesFreed: 0 }
    await backend.maintenance?.reclaim({ session: key })
    const after = await backend.head(key)
    return { eventsRemoved, bytesFreed: Math.max(0, before.bytes - (after?.bytes ?? 0)) }
  }

  async deleteSession(key: string, options: DeleteOptions = {}): Promise<boolean> {
    const { erase, expectedVersion, reason } = options
    if (reason !== undefined) checkText('reason', reason)
    const write = expectedVersion === undefined ? undefined : { expectedVersion }
    let existed = false
    await this.#write(key, write, [], 0, (draft) => {
      existed = planDelete(draft, reason)
    })
    if (erase === true) await this.#erase(key)
    return existed
  }

  /** The session has been deleted, so nobody counts on it any more; a write that comes in between begins it anew. */
  async #erase(key: string): Promise<void> {
    await this.#queues.exclusively(key, async () => {
      const state = await this.states.load(key)
      if (!state.deleted) return
      await this.source.backend.erase(key, state.last)
      this.states.forget(key)
    })
  }

  async expire(options: { readonly idleForMs: number; readonly prefix?: string }): Promise<{ sessions: number }> {
    const { idleForMs, prefix } = options
    checkWholeNumber('idleForMs', idleForMs)
    const before = this.#now() - idleForMs
    let sessions = 0
    for await (const { key, version, updatedAt } of this.listSessions(prefix === undefined ? {} : { prefix })) {
      if (updatedAt >= before) continue
      try {
        if (await this.deleteSession(key, { expectedVersion: version, reason: 'expired' })) sessions += 1
      } catch (error) {
        if ((error as StoreError).code !== 'CONFLICT') throw error // used meanwhile, so not idle
      }
    }
    return { sessions }
  }

  protected override settle(): Promise<void> {
    return this.#queues.idle()
  }

  /** Hands an operation to its session's queue. `request` is what an operation id stands for. */
  async #write<R extends object>(
    key: string,
    options: WriteOptions | undefined,
    request: readonly unknown[],
    bytes: number,
    plan: (draft: Draft<M>) => R | void,
    prepare?: (settled: SessionState<M>) => Promise<void>,
  ): Promise<Planned<R>> {
    this.check(key)
    return this.#queues.enqueue<R>(key, {
      ...checkWriteOptions(options, request),
      bytes,
      plan: (draft) => plan(draft) ?? ({} as R),
      ...(prepare === undefined ? undefined : { prepare }),
    })
  }
}

function bytesOf(messages: readonly { readonly bytes: number }[]): number {
  return messages.reduce((sum, { bytes }) => sum + bytes, 0)
}
