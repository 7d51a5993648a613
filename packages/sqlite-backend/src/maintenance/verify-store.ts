import type { SqliteStore } from '../open/sqlite-store.ts'

const MAX_PROBLEMS = 20

/** What SQLite itself finds wrong with its pages and indexes. It does not look at what is in the rows. */
export async function verifyPages({ database }: SqliteStore): Promise<string[]> {
  const found = database.all<{ integrity_check: string }>(`PRAGMA integrity_check(${MAX_PROBLEMS})`)
  return found.map(({ integrity_check: problem }) => problem).filter((problem) => problem !== 'ok')
}

/** Events whose session is not there. */
export async function findOrphans(store: SqliteStore): Promise<readonly string[]> {
  const { database, tables } = store
  return store.read(() => {
    const problems: string[] = []
    const next = `SELECT at >> 32 AS id FROM ${tables.events} WHERE at >= (? << 32) ORDER BY at LIMIT 1`
    let found = database.get<{ id: number }>(next, 0)
    while (found !== undefined && problems.length < MAX_PROBLEMS) {
      const { id } = found
      if (database.get(`SELECT id FROM ${tables.sessions} WHERE id = ?`, id) === undefined) {
        problems.push(`There are events of a session with the number ${id}, which is not there.`)
      }
      found = database.get<{ id: number }>(next, id + 1)
    }
    return problems
  })
}
