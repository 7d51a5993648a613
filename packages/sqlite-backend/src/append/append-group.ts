import { isStoreError } from '@turnlog/core/backend'

import type { SqliteStore } from '../open/sqlite-store.ts'
import { toStoreError } from '../database/to-store-error.ts'
import type { AppendRequest } from './append-request.ts'
import { appendSession } from './append-session.ts'

/**
 * Writes a group in one transaction. One that is refused leaves the others alone; if SQLite fails, all of it is undone
 * and each is written by itself, so that nobody pays for another's.
 *
 * @returns what became of each
 */
export async function appendGroup(
  store: SqliteStore,
  requests: readonly AppendRequest[],
): Promise<readonly (Error | undefined)[]> {
  const { database, tables } = store
  try {
    return await store.write(() =>
      requests.map((request) => {
        try {
          appendSession(database, tables, request)
          return undefined
        } catch (error) {
          if (isStoreError(error)) return error
          throw error
        }
      }),
    )
  } catch (error) {
    const [first] = requests
    if (first !== undefined && requests.length === 1) return [toStoreError(error, 'append', first.session)]
    const outcomes: (Error | undefined)[] = []
    for (const request of requests) outcomes.push(...(await appendGroup(store, [request])))
    return outcomes
  }
}
