import { StoreError } from '../errors/store-error.ts'
import type { SessionStore, SessionTurn } from './session-store.ts'

const READS = ['getHistory', 'getSummary', 'load', 'info', 'summaryAt', 'events'] as const

const WRITES = [
  'addMessage',
  'addMessages',
  'setSummary',
  'truncateHistory',
  'setHistory',
  'batch',
  'replaceMessage',
  'summarize',
  'replaceFrom',
  'restore',
  'setMetadata',
  'note',
] as const

/** The methods of a store for one session, while its turn lasts. */
export function sessionTurn<M extends object>(
  store: SessionStore<M>,
  key: string,
  signal: AbortSignal,
  isOver: () => boolean,
): SessionTurn<M> {
  const methods: Record<string, unknown> = {}
  const call = (name: string, args: readonly unknown[]): unknown =>
    (store as unknown as Record<string, (...args: readonly unknown[]) => unknown>)[name]?.(key, ...args)
  for (const name of READS) methods[name] = (...args: readonly unknown[]) => call(name, args)
  for (const name of WRITES) {
    methods[name] = (...args: readonly unknown[]) => {
      if (!isOver()) return call(name, args)
      return Promise.reject(
        new StoreError(
          'CONFLICT',
          `The turn of session ${JSON.stringify(key)} is over: another one may have begun. Write within the callback of withTurn.`,
          { session: key },
        ),
      )
    }
  }
  return { key, signal, ...methods } as unknown as SessionTurn<M>
}
