import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Backend, EventRecord, OpenReport, RepairReport } from '@turnlog/core/backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import type { LevelDbOptions } from '@turnlog/leveldb-backend'
import { onTestFinished } from 'vitest'

/** So that a small store has many. */
export const SMALL_BLOCKS = { compression: false, blockBytes: 1024 } as const

/** An empty directory that is removed after the test, together with what a repair puts beside it. */
export function temporaryDirectory(): string {
  const parent = mkdtempSync(join(tmpdir(), 'turnlog-leveldb-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const directory = join(parent, 'store')
  mkdirSync(directory)
  return directory
}

export function event(seq: number, extra: Record<string, string> = {}): EventRecord {
  const message = { role: 'user', content: `${'text '.repeat(seq % 9)}${seq}` }
  return { seq, id: `id-${seq}`, type: 'MessageAdded', v: 1, at: 1_700_000_000_000 + seq, message, ...extra }
}

/** A backend that is closed after the test. */
export async function openBackend(path: string, options: Partial<LevelDbOptions> = {}): Promise<Backend> {
  const backend = leveldbBackend({ path, ...options })
  onTestFinished(() => backend.close())
  await backend.open()
  return backend
}

/** Appends `count` events behind the last one of the session. */
export async function grow(
  backend: Backend,
  session: string,
  count: number,
  options: { extra?: Record<string, string>; trimBefore?: number } = {},
): Promise<number> {
  const last = (await backend.head(session))?.last ?? 0
  const events = Array.from({ length: count }, (_, index) => event(last + index + 1, options.extra))
  const { trimBefore } = options
  const expected = { last, incarnation: `life of ${session}` }
  await backend.append(
    session,
    expected,
    events,
    { last: last + count },
    trimBefore === undefined ? {} : { trimBefore },
  )
  return last + count
}

export async function readAll(backend: Backend, session: string): Promise<readonly EventRecord[]> {
  const events: EventRecord[] = []
  for await (const batch of backend.read(session, [{ from: 1, to: Number.MAX_SAFE_INTEGER }])) events.push(...batch)
  return events
}

export interface Contents {
  readonly report: OpenReport
  readonly sessions: Readonly<Record<string, unknown>>
}

/** Everything that a store gives back. */
export async function readStore(
  path: string,
  options: Partial<LevelDbOptions> = {},
  readOnly = false,
): Promise<Contents> {
  const backend = leveldbBackend({ path, ...options })
  const report = await backend.open({ readOnly })
  try {
    const sessions: Record<string, unknown> = {}
    for await (const heads of backend.list()) {
      for (const head of heads) sessions[head.session] = { head, events: await readAll(backend, head.session) }
    }
    return { report, sessions }
  } finally {
    await backend.close()
  }
}

/** Three sessions, partly in a table and partly in the log; segments, single events and a trim. */
export async function writeSample(path: string, options: Partial<LevelDbOptions> = {}): Promise<void> {
  const backend = leveldbBackend({ path, ...options })
  await backend.open()
  for (let round = 0; round < 8; round++) {
    await grow(backend, 'telegram:1', 9)
    await grow(backend, 'ünï', 1)
  }
  await backend.close()
  await backend.open()
  await grow(backend, 'c', 3, { trimBefore: 2 })
  await grow(backend, 'telegram:1', 2)
  await backend.close()
}

/** A closed store with a table and one log. Gives the path of the log. */
export async function writeTableAndLog(path: string): Promise<string> {
  const backend = await openBackend(path)
  await grow(backend, 'in a table', 70)
  await backend.close()
  await backend.open()
  await grow(backend, 'in a table', 2)
  await grow(backend, 'in the log', 65, { trimBefore: 3 })
  await backend.close()
  return filesNamed(path, /\.log$/)[0] ?? ''
}

/** Two generations of tables, so that older heads and single rows are still there below newer ones and segments. */
export async function writeGenerations(path: string, sessions: readonly string[]): Promise<void> {
  const backend = leveldbBackend({ path, ...SMALL_BLOCKS })
  await backend.open()
  for (const session of sessions) for (let count = 0; count < 60; count++) await grow(backend, session, 1)
  await backend.maintenance?.reclaim()
  await backend.close()
  await backend.open()
  for (const session of sessions) for (let count = 0; count < 6; count++) await grow(backend, session, 1)
  await backend.close()
  await backend.open() // moves the log into a table
  await backend.close()
}

export function copyStore(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  // Signs of life of a store that is open in a container are sockets, which Node does not copy.
  cpSync(from, to, { recursive: true, filter: (file) => !lstatSync(file).isSocket() })
}

/** Every file of a directory with its bytes, but LevelDB's lock: reading it would release it. */
export function fileContents(directory: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'LOCK')
  const contents = new Map<string, Buffer>()
  for (const name of names) {
    try {
      if (statSync(join(directory, name)).isFile()) contents.set(name, readFileSync(join(directory, name)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // LevelDB has just deleted it
    }
  }
  return contents
}

/** The files that hold this text somewhere. */
export function filesWith(directory: string, text: string): readonly string[] {
  return [...fileContents(directory)].filter(([, bytes]) => bytes.includes(text)).map(([name]) => name)
}

export function filesNamed(directory: string, pattern: RegExp): readonly string[] {
  return readdirSync(directory)
    .filter((name) => pattern.test(name))
    .map((name) => join(directory, name))
}

/** Damages a file by one bit. */
export function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

export function repair(backend: Backend): Promise<RepairReport> {
  return backend.maintenance?.repair({ apply: true }) ?? Promise.reject(new Error('no maintenance'))
}
