import { join } from 'node:path'

import type { Message } from 'turnlog'

import { loadPeer } from '../peers.ts'
import type { Contestant, Keeper } from './contestant.ts'

interface Statement {
  run(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
}

export interface Sqlite {
  pragma(text: string): unknown
  exec(text: string): unknown
  prepare(text: string): Statement
  transaction<A extends unknown[]>(work: (...values: A) => void): (...values: A) => void
  close(): void
}

export interface SqliteModule {
  readonly default: new (path: string) => Sqlite
}

/** The table that most people make, with what they need to list sessions and to keep a summary. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS sessions (session TEXT PRIMARY KEY, summary TEXT NOT NULL DEFAULT '', metadata TEXT NOT NULL DEFAULT '{}');
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, session TEXT NOT NULL, message TEXT NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS messages_session ON messages (session, id);
`

export const sqliteFull: Contestant = sqlite('sqlite-full', 'better-sqlite3 WAL FULL', 'FULL', {
  note: 'one transaction per message; blocks the event loop',
})
export const sqliteGrouped: Contestant = sqlite('sqlite-grouped', 'better-sqlite3 WAL FULL, grouped', 'FULL', {
  isGrouped: true,
  note: 'what waits goes into one transaction; blocks the event loop',
})
export const sqliteNormal: Contestant = sqlite('sqlite-normal', 'better-sqlite3 WAL NORMAL', 'NORMAL', {
  note: 'one transaction per message; blocks the event loop',
})

function sqlite(
  id: string,
  label: string,
  synchronous: 'FULL' | 'NORMAL',
  { isGrouped = false, note }: { readonly isGrouped?: boolean; readonly note: string },
): Contestant {
  return {
    id,
    label,
    durability: synchronous === 'FULL' ? 'sync' : 'os',
    note,
    open: async (directory) => {
      const module = await loadPeer<SqliteModule>('better-sqlite3')
      if (module === undefined) throw new Error('better-sqlite3 is not installed')
      return keeperOf(openDatabase(module, join(directory, 'messages.db'), synchronous), isGrouped)
    },
  }
}

export function openDatabase(module: SqliteModule, path: string, synchronous: 'FULL' | 'NORMAL'): Sqlite {
  const database = new module.default(path)
  database.pragma('journal_mode = WAL')
  database.pragma(`synchronous = ${synchronous}`)
  return database
}

function keeperOf(database: Sqlite, isGrouped: boolean): Keeper {
  database.exec(SCHEMA)
  const insert = database.prepare('INSERT INTO messages (session, message, created_at) VALUES (?, ?, ?)')
  const select = database.prepare('SELECT message FROM messages WHERE session = ? ORDER BY id')
  const add = (session: string, message: Message): void => void insert.run(session, JSON.stringify(message), Date.now())
  const appendAll = database.transaction((session: string, messages: readonly Message[]) => {
    for (const message of messages) add(session, message)
  })
  const remove = database.prepare('DELETE FROM messages WHERE session = ?')
  const replace = database.transaction((session: string, messages: readonly Message[]) => {
    remove.run(session)
    for (const message of messages) add(session, message)
  })
  const setSummary = database.prepare(
    'INSERT INTO sessions (session, summary) VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET summary = excluded.summary',
  )
  const cut = database.prepare(
    'DELETE FROM messages WHERE session = ? AND id <= (SELECT id FROM messages WHERE session = ? ORDER BY id DESC LIMIT 1 OFFSET ?)',
  )
  const summarise = database.transaction((session: string, summary: string, keepLast: number) => {
    setSummary.run(session, summary)
    cut.run(session, session, keepLast)
  })
  const setMetadata = database.prepare(
    'INSERT INTO sessions (session, metadata) VALUES (?, ?) ON CONFLICT (session) DO UPDATE SET metadata = excluded.metadata',
  )
  const list = database.prepare(
    `SELECT m.session, COUNT(*) AS messages, MIN(m.created_at), MAX(m.created_at), s.metadata
     FROM messages m LEFT JOIN sessions s ON s.session = m.session GROUP BY m.session`,
  )
  return {
    append: isGrouped ? groupedAppend(database, add) : async (session, message) => add(session, message),
    appendAll: async (session, messages) => appendAll(session, messages),
    read: async (session) =>
      (select.all(session) as { message: string }[]).map(({ message }) => JSON.parse(message) as Message),
    replace: async (session, messages) => replace(session, messages),
    summarise: async (session, summary, keepLast) => summarise(session, summary, keepLast),
    describe: async (session, metadata) => void setMetadata.run(session, JSON.stringify(metadata)),
    list: async () => list.all().length,
    close: async () => database.close(),
  }
}

interface Waiting {
  readonly session: string
  readonly message: Message
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function groupedAppend(database: Sqlite, add: (session: string, message: Message) => void): Keeper['append'] {
  let waiting: Waiting[] = []
  const writeAll = database.transaction((group: readonly Waiting[]) => {
    for (const { session, message } of group) add(session, message)
  })
  const flush = (): void => {
    const group = waiting
    waiting = []
    try {
      writeAll(group)
      for (const { resolve } of group) resolve()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  return (session, message) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ session, message, resolve, reject })
    })
}
