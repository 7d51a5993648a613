import { isStoreError } from '@turnlog/core'
import type { Message, SessionStore } from '@turnlog/core'
import type { FailedOperation, SessionManager, SessionManagerOptions } from './session-manager.ts'

/**
 * A session manager over a store, which it closes with itself.
 *
 * @example
 * ```ts
 * await using sessions = createSessionManager(await openStore('./sessions'))
 * sessions.addMessage('telegram:42', 'user', 'Hello')
 * console.log(await sessions.getHistory('telegram:42'))
 * ```
 */
export function createSessionManager<M extends object = Message>(
  store: SessionStore<M>,
  options: SessionManagerOptions = {},
): SessionManager<M> {
  return new StoreSessionManager(store, options.onError ?? printError)
}

type Operation = FailedOperation['operation']

class StoreSessionManager<M extends object> implements SessionManager<M> {
  readonly #store: SessionStore<M>
  readonly #onError: (error: unknown, failed: FailedOperation) => void
  /** Of each session that is being written to: resolves when its writes so far have settled. */
  readonly #pending = new Map<string, Promise<unknown>>()
  readonly #saving = new Set<Promise<void>>()

  constructor(store: SessionStore<M>, onError: (error: unknown, failed: FailedOperation) => void) {
    this.#store = store
    this.#onError = onError
  }

  addMessage(key: string, role: string, content: string): Promise<void> {
    return this.#write('addMessage', key, this.#store.addMessage(key, role, content))
  }

  addFullMessage(key: string, message: M): Promise<void> {
    return this.#write('addFullMessage', key, this.#store.addMessage(key, message))
  }

  setSummary(key: string, summary: string): Promise<void> {
    return this.#write('setSummary', key, this.#store.setSummary(key, summary))
  }

  setHistory(key: string, messages: readonly M[]): Promise<void> {
    return this.#write('setHistory', key, this.#store.setHistory(key, messages))
  }

  truncateHistory(key: string, keepLast: number): Promise<void> {
    return this.#write('truncateHistory', key, this.#store.truncateHistory(key, keepLast))
  }

  getHistory(key: string): Promise<M[]> {
    return this.#read('getHistory', key, () => this.#store.getHistory(key), [])
  }

  getSummary(key: string): Promise<string> {
    return this.#read('getSummary', key, () => this.#store.getSummary(key), '')
  }

  async listSessions(): Promise<string[]> {
    await Promise.all(this.#pending.values())
    const keys: string[] = []
    try {
      for await (const { key } of this.#store.listSessions()) keys.push(key)
    } catch (error) {
      this.#report(error, 'listSessions', undefined)
    }
    return keys
  }

  async save(key: string): Promise<void> {
    const saving = this.#compact(key)
    this.#saving.add(saving)
    await saving.finally(() => this.#saving.delete(saving))
  }

  async #compact(key: string): Promise<void> {
    await this.#pending.get(key)
    await this.#store.compact(key)
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#saving) // each begins when the writes before it have settled
    await this.#store.close()
    await Promise.all(this.#pending.values()) // their failures are reported before this resolves
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The store has taken its place in the session's queue already: the order is that of the calls. */
  #write(operation: Operation, key: string, writing: Promise<unknown>): Promise<void> {
    const settled = writing.then(
      () => undefined,
      (error: unknown) => this.#report(error, operation, key),
    )
    const pending = Promise.all([this.#pending.get(key), settled]).finally(() => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key)
    })
    this.#pending.set(key, pending)
    return settled
  }

  async #read<T>(operation: Operation, key: string, read: () => Promise<T>, fallback: T): Promise<T> {
    await this.#pending.get(key)
    try {
      return await read()
    } catch (error) {
      this.#report(error, operation, key)
      return fallback
    }
  }

  #report(error: unknown, operation: Operation, key: string | undefined): void {
    try {
      this.#onError(error, { operation, key })
    } catch (second) {
      // A handler that throws must not turn into a rejection that nobody expects. Both are told.
      printError(error, { operation, key })
      printError(second, { operation, key })
    }
  }
}

/** Only the texts of our own errors are known to contain nothing of a message. */
function printError(error: unknown, { operation, key }: FailedOperation): void {
  const code = isStoreError(error) ? error.code : error instanceof Error ? error.name : typeof error
  const about = key === undefined ? '' : ` of session ${JSON.stringify(key)}`
  const text = isStoreError(error) ? `: ${error.message.replaceAll(/\s+/g, ' ')}` : '.'
  console.error(`[turnlog ${code}] ${operation}${about} failed${text}`)
}
