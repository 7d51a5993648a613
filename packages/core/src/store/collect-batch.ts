import { StoreError } from '../errors/store-error.ts'
import { describe } from '../errors/check-arguments.ts'
import type { Operation, Operations } from './operations.ts'
import type { SessionBatch } from './session-store.ts'

/** Options that stand with the batch, not with its operations. */
const NO_OTHERS: readonly string[] = []

/**
 * What a caller puts into a batch, as one operation.
 *
 * @throws `INVALID_ARGUMENT`, and whatever the callback throws
 */
export function collectBatch<M extends object>(
  key: string,
  operations: Operations<M>,
  collect: (batch: SessionBatch<M>) => void,
): Operation<M> {
  if (typeof collect !== 'function') {
    throw new StoreError('INVALID_ARGUMENT', `A batch must be a function, got ${describe(collect)}.`)
  }
  const collected: Operation<M>[] = []
  let isOpen = true
  const put = (operation: Operation<M>): void => {
    if (!isOpen) {
      throw new StoreError('INVALID_ARGUMENT', 'A batch collects only while its callback runs. Begin another one.')
    }
    collected.push(operation)
  }
  let given: unknown
  try {
    given = collect(batchOf(key, operations, put))
  } finally {
    isOpen = false
  }
  if (typeof (given as { readonly then?: unknown } | undefined)?.then === 'function') {
    // Nobody else waits for it, and a rejection without a handler ends the process.
    Promise.resolve(given).catch(() => undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      'The callback of a batch must not be asynchronous: it collects, and all of it is written when it returns.',
    )
  }
  return inOne(collected)
}

function batchOf<M extends object>(
  key: string,
  operations: Operations<M>,
  put: (operation: Operation<M>) => void,
): SessionBatch<M> {
  return {
    addMessage: (roleOrMessage: string | M, contentOrOptions?: string | object, options?: object) =>
      put(operations.addMessage(key, roleOrMessage, contentOrOptions, options, NO_OTHERS)),
    addMessages: (messages) => put(operations.addMessages(key, messages)),
    replaceMessage: (position, message, options) =>
      put(operations.replaceMessage(key, position, message, options, NO_OTHERS)),
    replaceFrom: (position, messages) => put(operations.replaceFrom(key, position, messages)),
    setHistory: (messages) => put(operations.setHistory(key, messages)),
    truncateHistory: (keepLast, options) => put(operations.truncateHistory(key, keepLast, options, NO_OTHERS)),
    summarize: (request) => put(operations.summarize(key, request)),
    setSummary: (summary) => put(operations.setSummary(summary)),
    setMetadata: (metadata) => put(operations.setMetadata(key, metadata)),
    note: (kind, data) => put(operations.note(kind, data)),
  }
}

function inOne<M extends object>(collected: readonly Operation<M>[]): Operation<M> {
  const prepared = collected.filter(({ prepare }) => prepare !== undefined)
  return {
    request: ['batch', ...collected.map(({ request }) => request)],
    bytes: collected.reduce((sum, { bytes }) => sum + bytes, 0),
    onlyAdds: collected.every(({ onlyAdds }) => onlyAdds === true),
    ...(prepared.length === 0
      ? undefined
      : {
          prepare: async (settled) => {
            for (const { prepare } of prepared) await prepare?.(settled)
          },
        }),
    // What a single operation says of itself, such as the counts of a cut, is not said of a batch.
    plan: (draft) => {
      for (const operation of collected) operation.plan(draft)
    },
  }
}
