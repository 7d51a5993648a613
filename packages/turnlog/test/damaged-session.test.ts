import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isStoreError, openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { createSessionManager } from '@turnlog/adapters/session-manager'
import type { FailedOperation } from '@turnlog/adapters/session-manager'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

// What becomes of the others when one session is damaged or cannot be written, on each backend that keeps files.

/** LevelDB as the backend uses it: a row that is wrong in a table that is right can only be made with it. */
interface BareLevel {
  get(key: Buffer): Promise<Buffer>
  put(key: Buffer, value: Buffer): Promise<void>
  compactRange(from: Buffer, to: Buffer): Promise<void>
  close(): Promise<void>
}
const { ClassicLevel } = createRequire(new URL('../../leveldb-backend/package.json', import.meta.url))(
  'classic-level',
) as { ClassicLevel: new (path: string, options: object) => BareLevel }

const BACKENDS = {
  leveldb: (path: string): Backend => leveldbBackend({ path, durability: 'os', compression: false }),
  jsonl: (path: string): Backend => jsonlBackend({ path, durability: 'os' }),
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `message ${from + i}`)

function flipLastBit(bytes: Buffer): Buffer {
  const flipped = Buffer.from(bytes)
  flipped[flipped.length - 1] = (flipped[flipped.length - 1] ?? 0) ^ 1
  return flipped
}

/** Flips a bit in one event of a store that is closed. */
const DAMAGE = {
  leveldb: async (path: string, key: string, seq: number): Promise<void> => {
    const level = new ClassicLevel(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
    const row = Buffer.from(`\u0003${key}\u0000\0\0\0\0\0\0\0${String.fromCodePoint(seq)}`)
    await level.put(row, flipLastBit(await level.get(row)))
    await level.compactRange(Buffer.of(0), Buffer.of(255)) // a log with somebody else's batch would be refused
    await level.close()
  },
  jsonl: async (path: string, key: string, seq: number): Promise<void> => {
    const file = join(path, `${key}.jsonl`)
    const text = readFileSync(file, 'utf8')
    const damaged = text.replace(`message ${seq}"`, `massage ${seq}"`)
    expect(damaged).not.toBe(text)
    writeFileSync(file, damaged)
  },
}

describe.each(['leveldb', 'jsonl'] as const)('on %s', (name) => {
  /** Sessions `hurt` and `well` with ten messages each, closed. */
  async function filledStore(): Promise<string> {
    const path = mkdtempSync(join(tmpdir(), 'turnlog-damaged-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    const store = await openStore(BACKENDS[name](path))
    for (const key of ['hurt', 'well']) {
      for (const content of numbered(1, 10)) await store.addMessage(key, 'user', content)
      await store.setMetadata(key, { aliases: [`${key}:alias`] })
    }
    await store.close()
    return path
  }

  async function contents(store: SessionStore, key: string): Promise<unknown[]> {
    return (await store.getHistory(key)).map(({ content }) => content)
  }

  test('damage to one session is CORRUPT with its name, and the others are read, written and listed', async () => {
    const path = await filledStore()
    await DAMAGE[name](path, 'hurt', 5)
    for (const last of [11, 12]) {
      await using store = await openStore(BACKENDS[name](path))
      await expect(store.getHistory('hurt')).rejects.toMatchObject({ code: 'CORRUPT', session: 'hurt', seq: 5 })
      await store.addMessage('well', 'user', `message ${last}`)
      await store.setSummary('well', `up to ${last}`)
      expect(await contents(store, 'well')).toEqual(numbered(1, last))
      await store.addMessage('new', 'user', 'hello')
      const listed: unknown[] = []
      for await (const { key, metadata } of store.listSessions()) listed.push([key, metadata])
      expect(listed).toEqual([
        ['hurt', { aliases: ['hurt:alias'] }],
        ['new', {}],
        ['well', { aliases: ['well:alias'] }],
      ])
      const { ok, problems } = await store.verify()
      expect({ ok, sessions: new Set(problems.map(({ session }) => session)) }).toEqual({
        ok: false,
        sessions: new Set(['hurt']),
      })
      expect(await store.verify('well')).toMatchObject({ ok: true })
    }
  })

  test('the session manager reports a damaged session, answers with nothing for it, and goes on with the others', async () => {
    const path = await filledStore()
    await DAMAGE[name](path, 'hurt', 5)
    const failures: [unknown, FailedOperation][] = []
    await using sessions = createSessionManager(await openStore(BACKENDS[name](path)), {
      onError: (error, failed) => failures.push([error, failed]),
    })
    void sessions.truncateHistory('hurt', 2)
    void sessions.setHistory('hurt', [])
    void sessions.truncateHistory('well', 4)
    expect(await sessions.getHistory('hurt')).toEqual([])
    expect(failures.map(([error, failed]) => [isStoreError(error) && error.code, failed])).toEqual(
      ['truncateHistory', 'setHistory', 'getHistory'].map((operation) => ['CORRUPT', { operation, key: 'hurt' }]),
    )
    await expect(sessions.save('hurt')).rejects.toMatchObject({ code: 'CORRUPT', session: 'hurt' })
    await expect(sessions.save('well')).resolves.toBeUndefined()
    expect((await sessions.getHistory('well')).map(({ content }) => content)).toEqual(numbered(7, 10))
    expect(await sessions.listSessions()).toEqual(['hurt', 'well'])
    expect(failures).toHaveLength(3)
  })

  test('save rejects when compacting fails, other writes only report it, and both work afterwards', async () => {
    const path = await filledStore()
    const backend = BACKENDS[name](path)
    const failures: FailedOperation[] = []
    const sessions = createSessionManager(await openStore(backend), {
      onError: (error, failed) => {
        expect(error).toMatchObject({ code: 'IO' })
        failures.push(failed)
      },
    })
    await sessions.truncateHistory('well', 2)
    const append = vi.spyOn(backend, 'append').mockRejectedValue(new Error('no space left'))
    await expect(sessions.save('well')).rejects.toMatchObject({ code: 'IO' })
    await sessions.addMessage('well', 'user', 'lost')
    await sessions.addFullMessage('well', { role: 'user', content: 'lost' })
    await sessions.setSummary('well', 'lost')
    await sessions.setHistory('well', [])
    await sessions.truncateHistory('well', 1)
    expect(failures).toEqual(
      ['addMessage', 'addFullMessage', 'setSummary', 'setHistory', 'truncateHistory'].map((operation) => ({
        operation,
        key: 'well',
      })),
    )
    append.mockRestore()
    await sessions.addMessage('well', 'user', 'message 11')
    await sessions.save('well')
    await sessions.close()
    await using store = await openStore(BACKENDS[name](path))
    expect(await contents(store, 'well')).toEqual(numbered(9, 11))
    expect(await contents(store, 'hurt')).toEqual(numbered(1, 10))
    await expect(store.getHistory('well', { at: 3 })).rejects.toMatchObject({ code: 'TRIMMED' })
  })
})

test('LevelDB keeps sessions together in tables: a damaged one is refused at opening, named, and left as it is', async () => {
  const path = mkdtempSync(join(tmpdir(), 'turnlog-damaged-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const key of ['one', 'two', 'three']) {
    const store = await openStore(BACKENDS.leveldb(path)) // opening moves what is in the log into a table
    await store.addMessage(key, 'user', `of ${key}`)
    await store.close()
  }
  const tables = readdirSync(path).filter((file) => file.endsWith('.ldb'))
  const table = join(path, tables.find((file) => readFileSync(join(path, file)).includes('of one')) ?? '')
  const good = readFileSync(table)
  const damaged = Buffer.from(good)
  damaged[damaged.indexOf('of one')] = 0
  writeFileSync(table, damaged)
  await expect(openStore(BACKENDS.leveldb(path))).rejects.toMatchObject({ code: 'CORRUPT', file: table })
  expect(readFileSync(table)).toEqual(damaged)
  writeFileSync(table, good)
  await using store = await openStore(BACKENDS.leveldb(path))
  expect(await store.verify()).toMatchObject({ ok: true, sessions: 3 })
})
