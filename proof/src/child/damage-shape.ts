import { cpSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'

import { openStore } from '@turnlog/core'
import type { Backend, SessionStore } from '@turnlog/core'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'

import type { BackendName } from './make-backend.ts'
import { sqliteAt } from './sqlite-at.ts'

/** Small stores of different make-up; each is damaged in every place. */
export const SHAPES = {
  leveldb: ['fresh', 'reopened', 'uncompressed', 'segments', 'crashed', 'crashed-os'],
  jsonl: ['fresh', 'reopened', 'compacted', 'crashed', 'crashed-os'],
  sqlite: ['fresh', 'reopened', 'compacted', 'crashed', 'crashed-os'],
} as const

export type ShapeName = (typeof SHAPES)[BackendName][number]

export function shapeBackend(backend: BackendName, shape: string, path: string): Backend {
  const durability = shape.endsWith('-os') ? 'os' : 'sync'
  if (backend === 'sqlite') return sqliteAt(path, durability)
  return backend === 'leveldb'
    ? leveldbBackend({ path, durability, compression: shape !== 'uncompressed' })
    : jsonlBackend({ path, durability })
}

interface Small {
  readonly role: string
  readonly content: string
}

/**
 * Makes a store at `path`, with a copy of an earlier moment at `olderPath`. Crashed ones are left open: the caller ends
 * the process.
 */
export async function buildShape(backend: BackendName, shape: string, path: string, olderPath: string): Promise<void> {
  const open = (): Promise<SessionStore<Small>> => openStore<Small>({ backend: shapeBackend(backend, shape, path) })
  let store = await open()
  const reopen = async (): Promise<void> => {
    await store.close()
    store = await open()
  }
  const text = (n: number): Small => ({ role: 'user', content: `message ${n} of a conversation, number ${n * 7919}` })
  const count = shape === 'segments' ? 80 : 5
  await store.addMessages(
    'alpha',
    Array.from({ length: count }, (_, n) => text(n)),
  )
  await store.addMessage('beta:1', text(100))
  await store.setSummary('beta:1', 'what was said before')
  await store.addMessage('gone', text(150))
  if (shape !== 'fresh' && shape !== 'crashed') await reopen()
  await store.close()
  cpSync(path, olderPath, { recursive: true })
  store = await open()
  await store.addMessage('alpha', text(200))
  await store.truncateHistory('beta:1', 0)
  await store.addMessages('gamma', [text(300), text(301)])
  await store.deleteSession('gone', { erase: true })
  if (shape === 'compacted' || shape === 'reopened' || shape === 'uncompressed') {
    await store.truncateHistory('alpha', 2)
    await store.compact('alpha')
    await reopen()
    await store.addMessage('alpha', text(400))
    await reopen()
    await store.addMessage('gamma', text(500))
  }
  if (shape.startsWith('crashed')) {
    await turn() // background work of the last operation gets a chance to begin
    return
  }
  await store.close()
}
