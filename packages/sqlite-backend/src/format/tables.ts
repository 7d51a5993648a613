/** The newest format that this version reads, and the one that it writes. */
export const FORMAT = 1

/** An object of the schema, as `sqlite_schema` has it. */
export interface SchemaObject {
  readonly name: string
  readonly sql: string
}

/** The names of a store's tables, and the SQL that makes them. docs/formats/sqlite-v1.md describes them. */
export class Tables {
  readonly meta: string
  readonly sessions: string
  readonly byKey: string
  readonly byKeyAgain: string
  readonly events: string
  readonly messages: string
  /** In the order in which they are made; a store without the last one is not complete. */
  readonly schema: readonly SchemaObject[]

  constructor(prefix: string) {
    this.meta = `${prefix}meta`
    this.sessions = `${prefix}sessions`
    this.byKey = `${prefix}sessions_by_key`
    this.byKeyAgain = `${prefix}sessions_by_key_again`
    this.events = `${prefix}events`
    this.messages = `${prefix}messages`
    this.schema = [
      {
        name: this.sessions,
        sql: `CREATE TABLE ${this.sessions} (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, base INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, incarnation TEXT NOT NULL, bytes INTEGER NOT NULL, crc INTEGER NOT NULL, projection TEXT NOT NULL)`,
      },
      { name: this.byKey, sql: `CREATE UNIQUE INDEX ${this.byKey} ON ${this.sessions} (key)` },
      { name: this.byKeyAgain, sql: `CREATE UNIQUE INDEX ${this.byKeyAgain} ON ${this.sessions} (key, id)` },
      {
        name: this.events,
        sql: `CREATE TABLE ${this.events} (at INTEGER PRIMARY KEY, crc INTEGER NOT NULL, body TEXT NOT NULL)`,
      },
      { name: this.messages, sql: messagesView(this) },
      {
        name: this.meta,
        sql: `CREATE TABLE ${this.meta} (key TEXT PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID`,
      },
    ]
  }
}

/** For people with `sqlite3` or a database browser: conversations as text. Nothing of the store reads it. */
function messagesView({ messages, sessions, events }: Tables): string {
  return (
    `CREATE VIEW ${messages} AS SELECT s.key AS session, s.base + (e.at & 4294967295) AS seq, ` +
    `datetime(json_extract(e.body, '$.at') / 1000, 'unixepoch') AS time, json_extract(e.body, '$.type') AS type, ` +
    `json_extract(e.body, '$.message.role') AS role, json_extract(e.body, '$.message.content') AS content, e.body AS event ` +
    `FROM ${sessions} s CROSS JOIN ${events} e WHERE e.at BETWEEN (s.id << 32) AND (s.id << 32 | 4294967295) ` +
    `AND json_extract(e.body, '$.message') IS NOT NULL`
  )
}
