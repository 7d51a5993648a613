import { isStoreError, type SessionStore } from 'turnlog'

/** Items of the OpenAI Agents SDK; use its own `AgentInputItem` in your code. */
export type AgentItem = { type?: string; role?: string; [field: string]: unknown }

export type HistoryTransaction =
  | { type: 'append_items'; items: AgentItem[] }
  | { type: 'replace_suffix'; expectedSuffix: AgentItem[]; replacement: AgentItem[] }

/** A transaction that is tried again is found if no more events than this came after it. */
const RETRIED_WITHIN = 1000

/** The `Session` of the OpenAI Agents SDK, durable, with its transactions. */
export class TurnlogSession {
  readonly #store: SessionStore<AgentItem>
  readonly #key: string

  constructor(store: SessionStore<AgentItem>, key: string) {
    this.#store = store
    this.#key = key
  }

  getSessionId = async (): Promise<string> => this.#key

  getItems = (limit?: number): Promise<AgentItem[]> =>
    this.#store.getHistory(this.#key, { copy: true, ...(limit === undefined ? {} : { limit }) })

  async addItems(items: AgentItem[]): Promise<void> {
    await this.#store.addMessages(this.#key, items)
  }

  async popItem(): Promise<AgentItem | undefined> {
    for (;;) {
      const { messages, positions, version } = await this.#store.load(this.#key)
      const last = positions.at(-1)
      if (last === undefined) return undefined
      try {
        await this.#store.replaceFrom(this.#key, last, [], { expectedVersion: version })
        return messages.at(-1)
      } catch (error) {
        if (!isStoreError(error, 'CONFLICT')) throw error // somebody else added or popped: look again
      }
    }
  }

  async clearSession(): Promise<void> {
    await this.#store.deleteSession(this.#key)
  }

  /** The same operation id again changes nothing; other items to append under it are refused by the store. */
  async applyHistoryTransaction({
    operationId,
    transaction,
  }: {
    operationId: string
    transaction: HistoryTransaction
  }): Promise<void> {
    if (transaction.type === 'append_items') {
      await this.#store.addMessages(this.#key, transaction.items, { operationId })
      return
    }
    const { expectedSuffix, replacement } = transaction
    if (expectedSuffix.length === 0) {
      await this.#store.addMessages(this.#key, replacement, { operationId })
      return
    }
    // Looked for first: once it is applied, the history ends otherwise.
    if (await this.#isApplied(operationId)) return
    const { messages, positions, version } = await this.#store.load(this.#key)
    const start = messages.length - expectedSuffix.length
    const position = positions[start]
    const fits = JSON.stringify(messages.slice(Math.max(0, start))) === JSON.stringify(expectedSuffix)
    if (!fits || position === undefined) throw new Error('The history does not end as expected.')
    await this.#store.replaceFrom(this.#key, position, replacement, { operationId, expectedVersion: version })
  }

  async #isApplied(operationId: string): Promise<boolean> {
    const newest = this.#store.events(this.#key, { reverse: true, limit: RETRIED_WITHIN })
    for await (const { op } of newest) if (op === operationId) return true
    return false
  }
}
