import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Backend, EventRecord } from '@turnlog/core/backend'
import { sqliteBackend } from '@turnlog/sqlite-backend'
import type { SqliteOptions } from '@turnlog/sqlite-backend'
import { describe, onTestFinished } from 'vitest'

import { DRIVER, MISSING } from './target.mjs'

/** Tests that need a SQLite: where there is none they are skipped, and the name says why. */
export function describeSqlite(name: string, tests: () => void, isSkipped = false): void {
  describe.skipIf(isSkipped || MISSING !== undefined)(
    MISSING === undefined ? name : `${name} (skipped: ${MISSING})`,
    tests,
  )
}

/** An empty directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-sqlite-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Without a thread, so that thousands of them are quick. */
export function makeBackend(path: string, options: Partial<SqliteOptions> = {}): Backend {
  const backend = sqliteBackend({ path, worker: false, durability: 'os', ...DRIVER, ...options })
  onTestFinished(() => backend.close())
  return backend
}

export async function openBackend(path: string, options: Partial<SqliteOptions> = {}): Promise<Backend> {
  const backend = makeBackend(path, options)
  await backend.open()
  return backend
}

export function event(seq: number, extra: Record<string, string> = {}): EventRecord {
  const message = { role: 'user', content: `${'text '.repeat(seq % 9)}${seq}` }
  return { seq, id: `id-${seq}`, type: 'MessageAdded', v: 1, at: 1_700_000_000_000 + seq, message, ...extra }
}

/** Appends `count` events behind the last one of the session. */
export async function grow(
  backend: Backend,
  session: string,
  count: number,
  { trimBefore, ...extra }: { trimBefore?: number; pad?: string } = {},
): Promise<number> {
  const last = (await backend.head(session))?.last ?? 0
  const events = Array.from({ length: count }, (_, index) => event(last + index + 1, extra))
  const expected = { last, incarnation: `life of ${session}` }
  const options = trimBefore === undefined ? {} : { trimBefore }
  await backend.append(session, expected, events, { last: last + count }, options)
  return last + count
}

export async function readAll(backend: Backend, session: string): Promise<readonly EventRecord[]> {
  const events: EventRecord[] = []
  for await (const batch of backend.read(session, [{ from: 1, to: Number.MAX_SAFE_INTEGER }])) events.push(...batch)
  return events
}

/** Everything that a store gives back. */
export async function contentsOf(backend: Backend): Promise<Readonly<Record<string, unknown>>> {
  const sessions: Record<string, unknown> = {}
  for await (const heads of backend.list()) {
    for (const head of heads) sessions[head.session] = { head, events: await readAll(backend, head.session) }
  }
  return sessions
}

/** Three sessions with a trim, closed. */
export async function writeSample(path: string): Promise<void> {
  const backend = await openBackend(path)
  for (let round = 0; round < 8; round++) {
    await grow(backend, 'telegram:1', 9)
    await grow(backend, 'ünï', 1)
  }
  await grow(backend, 'c', 3, { trimBefore: 2 })
  await backend.close()
}

/** The files of a directory that hold this text somewhere. */
export function filesWith(directory: string, text: string): readonly string[] {
  return readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(text))
}

export function flip(file: string, at: number, bit: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
  writeFileSync(file, bytes)
}
