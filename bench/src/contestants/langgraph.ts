import { join } from 'node:path'

import type { Message } from 'turnlog'

import { loadPeer } from '../peers.ts'
import type { Contestant } from './contestant.ts'
import { openDatabase } from './sqlite.ts'
import type { Sqlite, SqliteModule } from './sqlite.ts'

interface Saver {
  put(config: object, checkpoint: object, metadata: object): Promise<object>
  getTuple(config: object): Promise<{ readonly checkpoint: { readonly channel_values: Values } } | undefined>
}

interface Values {
  readonly messages: readonly Message[]
}

interface SaverModule {
  readonly SqliteSaver: new (database: Sqlite) => Saver
}

interface CheckpointModule {
  readonly uuid6: (clock: number) => string
}

export const langgraphFull: Contestant = langgraph('sync')
export const langgraphNormal: Contestant = langgraph('os')

/** A checkpoint per step, each with the whole history, as the graph's runtime writes it. */
function langgraph(durability: 'sync' | 'os'): Contestant {
  return {
    id: `langgraph-${durability}`,
    label: `langgraph-checkpoint-sqlite${durability === 'sync' ? ', FULL' : ''}`,
    durability,
    note: 'each checkpoint holds the whole history; cost grows with it',
    open: async (directory) => {
      const sqlite = await loadPeer<SqliteModule>('better-sqlite3')
      const saverModule = await loadPeer<SaverModule>('@langchain/langgraph-checkpoint-sqlite')
      const checkpoints = await loadPeer<CheckpointModule>('@langchain/langgraph-checkpoint')
      if (sqlite === undefined || saverModule === undefined || checkpoints === undefined) {
        throw new Error('@langchain/langgraph-checkpoint-sqlite is not installed')
      }
      const { uuid6 } = checkpoints
      const database = openDatabase(sqlite, join(directory, 'checkpoints.db'), 'NORMAL')
      const saver = new saverModule.SqliteSaver(database)
      const histories = new Map<string, readonly Message[]>()
      const configOf = (session: string): object => ({ configurable: { thread_id: session, checkpoint_ns: '' } })
      const read = async (session: string): Promise<readonly Message[]> =>
        (await saver.getTuple(configOf(session)))?.checkpoint.channel_values.messages ?? []
      // Its first use sets the journal mode, which is when SQLite's default for WAL comes back.
      await saver.getTuple(configOf('none'))
      database.pragma(`synchronous = ${durability === 'sync' ? 'FULL' : 'NORMAL'}`)
      const replace = async (session: string, messages: readonly Message[]): Promise<void> => {
        histories.set(session, messages)
        const checkpoint = {
          v: 4,
          id: uuid6(-1),
          ts: new Date().toISOString(),
          channel_values: { messages },
          channel_versions: { messages: messages.length },
          versions_seen: {},
        }
        await saver.put(configOf(session), checkpoint, { source: 'loop', step: messages.length, parents: {} })
      }
      const appendAll = async (session: string, messages: readonly Message[]): Promise<void> =>
        replace(session, [...(histories.get(session) ?? (await read(session))), ...messages])
      return {
        append: (session, message) => appendAll(session, [message]),
        appendAll,
        read,
        replace,
        close: async () => database.close(),
      }
    },
  }
}
