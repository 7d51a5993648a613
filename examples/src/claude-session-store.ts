import type { SessionStore } from 'turnlog'

export interface SessionKey {
  projectKey: string
  sessionId: string
  subpath?: string
}

export type Entry = { type: string; uuid?: string; timestamp?: string; [field: string]: unknown }

/** The `SessionStore` of the Claude Agent SDK. Sub-agents are sessions of their own, below the key of their parent. */
export function claudeSessionStore(store: SessionStore<Entry>) {
  const keyOf = ({ projectKey, sessionId, subpath = '' }: SessionKey): string =>
    [projectKey, sessionId, subpath].map(encodeURIComponent).join('/')

  return {
    /** An entry whose uuid is known already is not recorded twice. */
    async append(key: SessionKey, entries: Entry[]): Promise<void> {
      const known = new Set((await store.getHistory(keyOf(key))).map(({ uuid }) => uuid))
      const fresh = entries.filter(({ uuid }) => uuid === undefined || !known.has(uuid))
      if (fresh.length > 0) await store.addMessages(keyOf(key), fresh)
    },

    async load(key: SessionKey): Promise<Entry[] | null> {
      const { version, messages } = await store.load(keyOf(key))
      return version === 0 ? null : messages.map((entry) => structuredClone(entry))
    },

    async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
      const sessions: { sessionId: string; mtime: number }[] = []
      for await (const { key, updatedAt } of store.listSessions({ prefix: `${encodeURIComponent(projectKey)}/` })) {
        const [, sessionId = '', subpath] = key.split('/').map(decodeURIComponent)
        if (subpath === '') sessions.push({ sessionId, mtime: updatedAt })
      }
      return sessions
    },

    async delete(key: SessionKey): Promise<void> {
      // The key of a parent ends in a slash, so it is the prefix of its sub-agents.
      for await (const { key: found } of store.listSessions({ prefix: keyOf(key) })) await store.deleteSession(found)
    },

    async listSubkeys(key: SessionKey): Promise<string[]> {
      const subkeys: string[] = []
      for await (const { key: found } of store.listSessions({ prefix: keyOf(key) })) {
        const subpath = decodeURIComponent(found.split('/')[2] ?? '')
        if (subpath !== '') subkeys.push(subpath)
      }
      return subkeys
    },
  }
}
