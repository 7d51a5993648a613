import type { SessionStates } from '../cache/session-states.ts'
import { checkCutTarget, checkObject, checkText, checkWholeNumber } from '../errors/check-arguments.ts'
import { isStoreError } from '../errors/store-error.ts'
import type { Position } from '../events/run.ts'
import type { SessionLimits } from '../limits/session-limits.ts'
import { isLimited, weighsMessages } from '../limits/view-limit.ts'
import { normaliseJson } from '../normalise/normalise-json.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { bytesOf, normaliseMessage } from '../normalise/normalise-message.ts'
import type { ToolLinksOf } from '@turnlog/messages'
import { planAddMessages } from '../plan/add-messages.ts'
import type { CutResult } from '../plan/cut.ts'
import { cutBefore, cutToLast, planCut, safeCut } from '../plan/cut.ts'
import { planReplaceFrom } from '../plan/replace-from.ts'
import { planReplaceMessage } from '../plan/replace-message.ts'
import { planRestore } from '../plan/restore.ts'
import { missingMessages, planSetHistory } from '../plan/set-history.ts'
import { planSetMetadata } from '../plan/set-metadata.ts'
import type { SummaryOfLife } from '../plan/summarize.ts'
import { planSummarize } from '../plan/summarize.ts'
import type { Intent } from '../queue/intent.ts'
import { findRecorded } from '../view/find-recorded.ts'
import type { EventSource } from '../view/read-events.ts'
import type { SessionState, StoredMessage } from '../view/session-state.ts'
import { stateAt } from '../view/state-at.ts'
import { checkCutOptions, checkUnfinished } from './check-options.ts'
import { internMessages } from './intern-messages.ts'
import { normaliseMetadata } from './normalise-metadata.ts'
import type { AddOptions, CutOptions } from './session-store.ts'

const SUMMARY_FIELDS = ['summary', 'through', 'version', 'incarnation', 'pin']

/** One operation of one session, checked and normalised: all of an intent but what its caller expects. */
export interface Operation<M extends object, R extends object = object> extends Pick<
  Intent<M, R>,
  'bytes' | 'plan' | 'prepare' | 'onlyAdds'
> {
  /** What an operation id stands for. */
  readonly request: readonly unknown[]
}

/** What operations need to know of their store. */
export interface OperationContext<M> {
  readonly source: EventSource
  readonly states: SessionStates<M>
  readonly toolLinks: ToolLinksOf | undefined
  limits(key: string): SessionLimits
}

/**
 * The operations that write to a session, each from what its caller gave. Copies are made now: what the caller does to
 * it afterwards must not matter. `others` are the options that may be given beside those of the operation.
 */
export class Operations<M extends object> {
  readonly #context: OperationContext<M>

  constructor(context: OperationContext<M>) {
    this.#context = context
  }

  addMessage(
    key: string,
    roleOrMessage: string | M,
    contentOrOptions: string | AddOptions | undefined,
    options: AddOptions | undefined,
    others: readonly string[],
  ): Operation<M> {
    const isText = typeof roleOrMessage === 'string'
    if (isText) checkText('content', contentOrOptions)
    const message = isText ? { role: roleOrMessage, content: contentOrOptions } : roleOrMessage
    const given = isText ? options : (contentOrOptions as AddOptions | undefined)
    return this.#add(key, [this.#normalise(key, message, given, others)])
  }

  addMessages(key: string, messages: readonly M[]): Operation<M> {
    return this.#add(key, this.#intern(key, messages))
  }

  replaceMessage(
    key: string,
    position: Position,
    message: M,
    options: AddOptions | undefined,
    others: readonly string[],
  ): Operation<M> {
    checkWholeNumber('position', position)
    const normal = this.#normalise(key, message, options, others)
    return {
      request: ['replaceMessage', position, normal],
      bytes: normal.bytes,
      plan: (draft) => planReplaceMessage(key, draft, position, normal),
    }
  }

  replaceFrom(key: string, position: Position, messages: readonly M[]): Operation<M> {
    checkWholeNumber('position', position)
    const replacement = this.#intern(key, messages)
    return {
      request: ['replace', position, replacement],
      bytes: bytesOf(replacement),
      plan: (draft) => planReplaceFrom(key, draft, position, replacement),
    }
  }

  setHistory(key: string, messages: readonly M[]): Operation<M> {
    const history = this.#intern(key, messages, this.#context.states.peek(key))
    let recorded: readonly StoredMessage<M>[] = []
    return {
      request: ['history', history],
      bytes: bytesOf(history),
      prepare: async (settled) => {
        const missing = missingMessages(settled, history)
        recorded = missing.length === 0 ? [] : await findRecorded(this.#context.source, key, settled, missing)
      },
      plan: (draft) => planSetHistory(draft, history, recorded),
    }
  }

  truncateHistory(
    key: string,
    keepLast: number | { readonly before: Position },
    options: CutOptions | undefined,
    others: readonly string[],
  ): Operation<M, CutResult> {
    const rules = checkCutOptions(options, others)
    checkCutTarget(keepLast)
    const target = typeof keepLast === 'number' ? keepLast : { before: keepLast.before }
    const { exact = false, startOn = 'any', pin = 'none' } = rules
    const isPlain = startOn === 'any' && pin === 'none'
    return {
      request: ['truncate', target, exact, ...(isPlain ? [] : [startOn, pin])],
      bytes: 0,
      plan: (draft) => {
        const { state } = draft
        const cut =
          typeof target === 'number' ? cutToLast(state, target, rules) : cutBefore(key, state, target.before, rules)
        return planCut(draft, safeCut(state, cut, this.#context.toolLinks))
      },
    }
  }

  summarize(key: string, request: SummaryOfLife): Operation<M, CutResult> {
    const { summary, through, version, incarnation, pin } = checkObject('request', request, SUMMARY_FIELDS)
    checkText('summary', summary)
    checkWholeNumber('through', through)
    checkWholeNumber('version', version)
    const asked = { summary, through, version, incarnation, pin }
    let past: SessionState<M> | undefined
    return {
      request: ['summarize', { summary, through, version, incarnation }],
      bytes: summary.length,
      prepare: async (settled) => {
        past = await this.#pastOf(key, settled, version)
      },
      plan: (draft) => planSummarize(key, draft, asked, past, this.#context.toolLinks),
    }
  }

  setSummary(summary: string): Operation<M> {
    checkText('summary', summary)
    const plan: Operation<M>['plan'] = (draft) => draft.setSummary(summary)
    return { request: ['summary', summary], bytes: summary.length, onlyAdds: true, plan }
  }

  setMetadata(key: string, metadata: Readonly<Record<string, unknown>>): Operation<M> {
    const changes = normaliseMetadata(metadata)
    const plan: Operation<M>['plan'] = (draft) => planSetMetadata(key, draft, changes)
    return { request: ['metadata', changes], bytes: 0, onlyAdds: true, plan }
  }

  note(kind: string, data: unknown): Operation<M> {
    checkText('kind', kind)
    const { value, bytes } = normaliseJson(data, 'data')
    const plan: Operation<M>['plan'] = (draft) => draft.note(kind, value)
    return { request: ['note', kind, value], bytes, onlyAdds: true, plan }
  }

  restore(key: string, target: { readonly at: number }): Operation<M> {
    const { at } = checkObject('target', target, ['at'])
    checkWholeNumber('at', at)
    let past: SessionState<M> | undefined
    return {
      request: ['restore', at],
      bytes: 0,
      prepare: async (settled) => {
        past = await stateAt(this.#context.source, key, settled, at)
      },
      plan: (draft) => planRestore(key, draft, past as SessionState<M>),
    }
  }

  #add(key: string, messages: readonly NormalMessage<M>[]): Operation<M> {
    const { add, overflow } = this.#context.limits(key)
    return {
      request: ['add', messages],
      bytes: bytesOf(messages),
      onlyAdds: !isLimited(add.cutAt) && !weighsMessages(overflow),
      plan: (draft) => planAddMessages(key, draft, messages, add, this.#context.toolLinks),
    }
  }

  /** The state at a version, to compare the present one with; `undefined` if it cannot be looked at any more. */
  async #pastOf(key: string, settled: SessionState<M>, version: number): Promise<SessionState<M> | undefined> {
    // Nothing but messages came since, so the view still begins with the one of that version.
    if (settled.cutSeq <= version || version > settled.last) return settled
    try {
      return await stateAt(this.#context.source, key, settled, version)
    } catch (error) {
      if (isStoreError(error, 'TRIMMED') || isStoreError(error, 'INVALID_ARGUMENT')) return undefined
      throw error
    }
  }

  #normalise(
    key: string,
    message: unknown,
    options: AddOptions | undefined,
    others: readonly string[],
  ): NormalMessage<M> {
    const unfinished = checkUnfinished(options, others)
    const normal = normaliseMessage<M>(message, 'message', this.#context.limits(key).maxMessageBytes)
    return unfinished === true ? { ...normal, unfinished } : normal
  }

  #intern(key: string, messages: readonly M[], hint?: SessionState<M>): NormalMessage<M>[] {
    return internMessages<M>(messages, this.#context.limits(key).maxMessageBytes, hint)
  }
}
