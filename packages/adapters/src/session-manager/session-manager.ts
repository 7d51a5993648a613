import type { Message } from '@turnlog/core'

/** What failed, for `onError`. */
export interface FailedOperation {
  readonly operation:
    | 'addMessage'
    | 'addFullMessage'
    | 'getHistory'
    | 'getSummary'
    | 'setSummary'
    | 'setHistory'
    | 'truncateHistory'
    | 'listSessions'
  /** The session; `undefined` for `listSessions`. */
  readonly key: string | undefined
}

export interface SessionManagerOptions {
  /**
   * Told about every failure that is not given to the caller. Texts of a `StoreError` contain no message contents;
   * those of another error may.
   * @default one line on stderr, with the code
   */
  readonly onError?: (error: unknown, failed: FailedOperation) => void
}

/**
 * Sessions for an agent loop that does not look at results: writes need not be awaited, nothing but `save` and `close`
 * rejects, and a read sees every write that was asked for before it. Writes to one session happen in the order of the
 * calls.
 */
export interface SessionManager<M extends object = Message> extends AsyncDisposable {
  addMessage(key: string, role: string, content: string): Promise<void>
  /** With tool calls, results and whatever else a message has. */
  addFullMessage(key: string, message: M): Promise<void>
  /** `[]` if there is none, or it cannot be read. */
  getHistory(key: string): Promise<M[]>
  /** `''` if there is none, or it cannot be read. */
  getSummary(key: string): Promise<string>
  setSummary(key: string, summary: string): Promise<void>
  /** Replaces the history, by writing only what is new. */
  setHistory(key: string, messages: readonly M[]): Promise<void>
  /** Keeps the last so many messages, or more where that would split a tool call from its results; 0 removes all. */
  truncateHistory(key: string, keepLast: number): Promise<void>
  /** The keys of all sessions; as many as could be read. */
  listSessions(): Promise<string[]>
  /**
   * Removes what was truncated from the storage, for good. Needed for nothing else: every write is durable by itself.
   * Rejects if it fails.
   */
  save(key: string): Promise<void>
  /** Waits for everything, then closes the store. Idempotent. */
  close(): Promise<void>
}
