import { join } from 'node:path'

import type { Message } from 'turnlog'

import { loadPeer } from '../peers.ts'
import type { Contestant } from './contestant.ts'

interface Lmdb {
  put(key: unknown[], value: Message): Promise<boolean>
  transaction(work: () => void): Promise<void>
  getRange(range: object): Iterable<{ readonly key: unknown[]; readonly value: Message }>
  getKeys(range: object): Iterable<unknown[]>
  close(): Promise<void>
}

interface LmdbModule {
  open(options: object): Lmdb
}

export const lmdbSync: Contestant = lmdb('lmdb', 'lmdb', 'sync')
export const lmdbUnsynced: Contestant = lmdb('lmdb-unsynced', 'lmdb noSync', 'os')

function lmdb(id: string, label: string, durability: 'sync' | 'os'): Contestant {
  return {
    id,
    label,
    durability,
    open: async (directory) => {
      const module = await loadPeer<LmdbModule>('lmdb')
      if (module === undefined) throw new Error('lmdb is not installed')
      // Without overlappingSync a put resolves when it is on disk, as every other contestant's does.
      const options = durability === 'sync' ? { overlappingSync: false } : { noSync: true }
      const database = module.open({ path: join(directory, 'lmdb'), ...options })
      const lasts = new Map<string, number>()
      const next = (session: string): number => {
        let last = lasts.get(session)
        if (last === undefined) {
          last = 0
          const newest = database.getKeys({ start: [session, Infinity], end: [session, 0], reverse: true, limit: 1 })
          for (const key of newest) last = key[1] as number
        }
        lasts.set(session, last + 1)
        return last + 1
      }
      return {
        append: async (session, message) => void (await database.put([session, next(session)], message)),
        appendAll: async (session, messages) =>
          database.transaction(() => {
            for (const message of messages) void database.put([session, next(session)], message)
          }),
        read: async (session) =>
          Array.from(database.getRange({ start: [session, 0], end: [session, Infinity] }), ({ value }) => value),
        close: () => database.close(),
      }
    },
  }
}
