import { isBuiltin } from 'node:module'
import { join } from 'node:path'

import { StoreError } from '@turnlog/core'
import type { BackendDefinition } from '@turnlog/core/backend'

/** The backends that come with this package, and SQLite, which has to be installed. Each is loaded only when it is chosen. */
export const defaultBackends = {
  leveldb: (): Promise<{ readonly backend: BackendDefinition }> => import('@turnlog/leveldb-backend'),
  jsonl: (): Promise<{ readonly backend: BackendDefinition }> => import('@turnlog/jsonl-backend'),
  sqlite: (): Promise<{ readonly backend: BackendDefinition }> => import('@turnlog/sqlite-backend').catch(findSqlite),
} as const

export type DefaultBackend = keyof typeof defaultBackends

/** Not beside this package: perhaps in the program that runs, where a command that is installed globally does not see it. */
async function findSqlite(error: unknown): Promise<{ readonly backend: BackendDefinition }> {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes('@turnlog/sqlite-backend')) throw error
  const { findBackend } = await import('./find-backend.ts')
  const load = await findBackend('@turnlog/sqlite-backend', join(process.cwd(), 'package.json'))
  if (load !== undefined) return (await load()) as { readonly backend: BackendDefinition }
  const also = isBuiltin('node:sqlite') ? '' : ' better-sqlite3@12' // asked without loading it, which warns on Node 22
  throw new StoreError(
    'BACKEND_NOT_FOUND',
    `The SQLite backend is not installed. Run: npm install @turnlog/sqlite-backend${also}`,
    { cause: error },
  )
}

/** @returns `undefined` if it does not load: opening a store says why */
export async function defaultBackend(name: DefaultBackend): Promise<BackendDefinition | undefined> {
  const module = await defaultBackends[name]().catch(() => undefined)
  return module?.backend
}

export function isDefaultBackend(choice: unknown): choice is DefaultBackend {
  return typeof choice === 'string' && Object.hasOwn(defaultBackends, choice)
}
