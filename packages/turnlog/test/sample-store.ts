import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from 'turnlog'
import type { SessionStore, StoreSettings } from 'turnlog'
import { onTestFinished } from 'vitest'

/** 2026-01-02 03:04:05 UTC, for every event. */
const START = Date.UTC(2026, 0, 2, 3, 4, 5)

export interface Sample {
  readonly directory: string
  readonly env: { readonly TURNLOG_STORE: string }
  readonly backend: 'leveldb' | 'jsonl'
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-command-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Makes a store, fills it and closes it again. Its clock stands still, so that times are the same in every run. */
export async function sampleStore(
  backend: 'leveldb' | 'jsonl',
  fill: (store: SessionStore) => Promise<unknown> = fillTrip,
  policies: Pick<StoreSettings, 'retention'> = {},
): Promise<Sample> {
  const directory = temporaryDirectory()
  const path = join(directory, 'store')
  const clock = { now: () => START }
  const store = await openStore({ backend, path, durability: 'os', clock, sweep: 'manual', ...policies })
  await fill(store)
  await store.close()
  return { directory, backend, env: { TURNLOG_STORE: `${backend}:${path}` } }
}

/** A conversation with a tool call, a summary that cut its beginning, and a session beside it. */
export async function fillTrip(store: SessionStore): Promise<void> {
  await store.addMessage('trip:1', 'user', 'Find a train to Rome')
  const call = { id: 'call_1', type: 'function', function: { name: 'search', arguments: '{"to":"Rome"}' } }
  await store.addMessage('trip:1', { role: 'assistant', content: null, tool_calls: [call] })
  await store.addMessage('trip:1', { role: 'tool', tool_call_id: 'call_1', content: '08:10\n12:40' })
  await store.addMessage('trip:1', 'assistant', 'At 08:10 or 12:40.')
  await store.addMessage('trip:1', 'user', 'The later one')
  await store.summarize('trip:1', { summary: 'Wants a train to Rome.', through: 4, version: 5 })
  await store.setMetadata('trip:1', { channel: 'web' })
  await store.addMessage('guest:7', 'user', 'Hello')
}
