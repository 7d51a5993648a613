import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openStore } from '@turnlog/core'
import type { Message, SessionStore } from '@turnlog/core'
import { migrateDirectory } from '@turnlog/importers'
import { createSessionManager } from '@turnlog/adapters/session-manager'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { LegacyDirectory } from '../../importers/test/legacy/legacy-directory.ts'

// What the tests of the original project say, as behaviours, on each backend that keeps files.

const BACKENDS = {
  leveldb: (path: string) => leveldbBackend({ path, durability: 'os' }),
  jsonl: (path: string) => jsonlBackend({ path, durability: 'os' }),
}

const toolCall = {
  role: 'assistant',
  content: '',
  model_name: 'model-1',
  reasoning_content: 'because',
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'search', arguments: '{"q": "weather"}' } },
    {
      id: 'call_2',
      type: 'function',
      function: { name: 'read', arguments: '{}' },
      extra_content: { google: { thought_signature: 's' } },
    },
  ],
}
const toolResult = { role: 'tool', content: 'sunny', tool_call_id: 'call_1' }

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

async function isOnDisk(directory: string, text: string): Promise<boolean> {
  for (const file of await filesIn(directory)) if ((await readFile(file)).includes(text)) return true
  return false
}

describe.each(['leveldb', 'jsonl'] as const)('on %s', (name) => {
  let root: string
  let directory: string
  let store: SessionStore
  const open = (): Promise<SessionStore> => openStore(BACKENDS[name](directory))
  const reopen = async (): Promise<void> => {
    await store.close()
    store = await open()
  }
  const add = async (key: string, from: number, to: number): Promise<void> => {
    for (let i = from; i <= to; i++) await store.addMessage(key, 'user', `message ${i}`)
  }
  const contents = async (key: string): Promise<unknown[]> =>
    (await store.getHistory(key)).map(({ content }) => content)
  const numbered = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, i) => `message ${from + i}`)

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'turnlog-seed-'))
    directory = join(root, 'with', 'parents', 'sessions')
    store = await open()
  })

  afterEach(async () => {
    await store.close()
    await rm(root, { recursive: true, force: true })
  })

  describe('the store', () => {
    test('opening creates the directory with its parents', async () => {
      expect((await stat(directory)).isDirectory()).toBe(true)
    })

    test('a message added to an unknown session creates it and comes back with role and content', async () => {
      await store.addMessage('new', 'user', 'hello')
      expect(await store.getHistory('new')).toEqual([{ role: 'user', content: 'hello' }])
    })

    test('a full message keeps tool calls, tool_call_id, model name and any other field', async () => {
      await store.addMessage('a', toolCall)
      await store.addMessage('a', toolResult)
      await reopen()
      expect(JSON.stringify(await store.getHistory('a'))).toBe(JSON.stringify([toolCall, toolResult]))
    })

    test('an unknown session has an empty history and an empty summary', async () => {
      expect(await store.getHistory('unknown')).toEqual([])
      expect(await store.getSummary('unknown')).toBe('')
    })

    test('messages come back in the order in which they were added', async () => {
      await add('a', 1, 50)
      await reopen()
      expect(await contents('a')).toEqual(numbered(1, 50))
    })

    test('a summary is read as set, replaced by the next, and creates the session', async () => {
      await store.setSummary('a', 'first')
      expect(await store.getSummary('a')).toBe('first')
      await store.setSummary('a', 'second')
      await reopen()
      expect(await store.getSummary('a')).toBe('second')
      expect(await store.getHistory('a')).toEqual([])
      const keys: string[] = []
      for await (const { key } of store.listSessions()) keys.push(key)
      expect(keys).toEqual(['a'])
    })

    test.each([
      [4, 4],
      [0, 0],
      [-3, 0],
      [10, 10],
      [99, 10],
    ])('truncating ten messages to the last %i keeps %i', async (keepLast, kept) => {
      await add('a', 1, 10)
      await store.truncateHistory('a', keepLast)
      expect(await contents('a')).toEqual(numbered(1, 10).slice(10 - kept))
      await reopen()
      expect(await contents('a')).toEqual(numbered(1, 10).slice(10 - kept))
    })

    test('replacing the history replaces all of it, also after a truncation', async () => {
      await add('a', 1, 10)
      await store.truncateHistory('a', 2)
      const history: Message[] = [
        { role: 'user', content: 'new 1' },
        { role: 'assistant', content: 'new 2' },
        { role: 'user', content: 'new 3' },
      ]
      await store.setHistory('a', history)
      expect(await store.getHistory('a')).toEqual(history)
      await add('a', 4, 4)
      await reopen()
      expect(await contents('a')).toEqual(['new 1', 'new 2', 'new 3', 'message 4'])
    })

    test('keys with colons, slashes and underscores are distinct sessions, listed by their original keys', async () => {
      const keys = ['a:b', 'a/b', 'a\\b', 'a_b', '../a', 'A:B', 'agent:main:telegram:direct:123']
      for (const key of keys) await store.addMessage(key, 'user', key)
      await reopen()
      for (const key of keys) expect(await contents(key)).toEqual([key])
      const listed: string[] = []
      for await (const { key } of store.listSessions()) listed.push(key)
      expect(listed.sort()).toEqual([...keys].sort())
      expect(await readdir(root)).toEqual(['with'])
    })

    test('compacting after a truncation removes the messages from the files, and appending afterwards works', async () => {
      const secrets = Array.from({ length: 20 }, () => randomBytes(48).toString('base64url'))
      for (const secret of secrets) await store.addMessage('a', 'user', secret)
      await store.addMessage('b', 'user', 'another')
      await reopen() // LevelDB keeps what was never in a table beside its deletion until the next compaction
      await store.truncateHistory('a', 5)
      expect((await store.compact('a')).eventsRemoved).toBeGreaterThanOrEqual(15)
      await store.addMessage('a', 'user', 'after')
      await reopen()
      expect(await contents('a')).toEqual([...secrets.slice(15), 'after'])
      for (const secret of secrets.slice(0, 15)) expect(await isOnDisk(directory, secret)).toBe(false)
      // Not each of them: compression cuts a text in two where four of its letters have occurred before.
      const kept = await Promise.all(secrets.slice(15).map((secret) => isOnDisk(directory, secret)))
      expect(kept).toContain(true)
    })

    test('compacting without a truncation does nothing', async () => {
      await add('a', 1, 5)
      const before = await store.load('a')
      expect(await store.compact('a')).toEqual({ eventsRemoved: 0, bytesFreed: 0 })
      expect(await store.load('a')).toEqual(before)
      expect(await store.compact('unknown')).toEqual({ eventsRemoved: 0, bytesFreed: 0 })
    })

    test('a partial record at the end, left by a crash, loses nothing that was complete, nor the next append', async () => {
      await add('a', 1, 3)
      await store.close()
      const data = (await filesIn(directory)).filter((file) =>
        name === 'jsonl' ? file.endsWith('a.jsonl') : file.endsWith('.log'),
      )
      expect(data).toHaveLength(1)
      for (const file of data) await appendFile(file, name === 'jsonl' ? '{"seq":4,"id":"torn' : Buffer.alloc(5, 7))
      store = await open()
      await add('a', 4, 4)
      await reopen()
      expect(await contents('a')).toEqual(numbered(1, 4))
      await store.truncateHistory('a', 2)
      expect(await contents('a')).toEqual(numbered(3, 4))
    })

    test('everything is there after the store is closed and opened again', async () => {
      await add('a', 1, 10)
      await store.setSummary('a', 'summary')
      await store.setMetadata('a', { scope: { channel: 'telegram' }, aliases: ['b', 'c'] })
      await store.truncateHistory('a', 3)
      const before = await store.load('a')
      await reopen()
      expect(await store.load('a')).toEqual(before)
      expect(before).toMatchObject({
        summary: 'summary',
        metadata: { scope: { channel: 'telegram' }, aliases: ['b', 'c'] },
      })
      expect(await store.verify()).toMatchObject({ ok: true })
    })

    test('ten writers with twenty messages each, with ten readers beside them, make 200 messages', async () => {
      const writers = Array.from({ length: 10 }, async (_, writer) => {
        for (let i = 0; i < 20; i++) await store.addMessage('shared', 'user', `${writer}/${i}`)
      })
      const readers = Array.from({ length: 10 }, async () => {
        for (let i = 0; i < 20; i++) expect((await store.getHistory('shared')).length).toBeLessThanOrEqual(200)
      })
      await Promise.all([...writers, ...readers])
      await reopen()
      const all = await contents('shared')
      expect(all).toHaveLength(200)
      for (let writer = 0; writer < 10; writer++) {
        const own = all.filter((content) => String(content).startsWith(`${writer}/`))
        expect(own).toEqual(Array.from({ length: 20 }, (_, i) => `${writer}/${i}`))
      }
    })

    test('a summariser beside an appending agent never tears the history or loses what was appended last', async () => {
      const agentIsDone = new AbortController()
      const agent = (async () => {
        await add('race', 1, 100)
        agentIsDone.abort()
      })()
      const summariser = (async () => {
        for (let round = 0; !agentIsDone.signal.aborted; round++) {
          await store.setSummary('race', `summary ${round}`)
          await store.truncateHistory('race', 5)
          const { messages, version } = await store.load('race')
          const replaced = store.setHistory('race', messages.slice(-3), { expectedVersion: version })
          await replaced.catch((error: unknown) => expect(error).toMatchObject({ code: 'CONFLICT' }))
          const seen = await contents('race')
          const numbers = seen.map((content) => Number(/\d+/.exec(String(content))?.[0]))
          expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] as number) + i))
        }
      })()
      await Promise.all([agent, summariser])
      expect((await contents('race')).slice(-3)).toEqual(numbered(98, 100))
      expect(await store.verify()).toMatchObject({ ok: true })
    })

    test('sessions do not see each other', async () => {
      await add('a', 1, 3)
      await add('b', 4, 6)
      await store.truncateHistory('a', 1)
      await store.setSummary('b', 'of b')
      expect(await contents('a')).toEqual(numbered(3, 3))
      expect(await contents('b')).toEqual(numbered(4, 6))
      expect(await store.getSummary('a')).toBe('')
    })

    test('a message without a time gets one, and one that has a time keeps it', async () => {
      const before = Date.now()
      const dated = { role: 'user', content: 'x', created_at: '2020-01-01T00:00:00Z' }
      await store.addMessage('a', 'user', 'undated')
      await store.addMessage('a', dated)
      const { times, messages } = await store.load('a')
      expect(times[0]).toBeGreaterThanOrEqual(before)
      expect(messages).toEqual([{ role: 'user', content: 'undated' }, dated])
    })
  })

  describe('the migration', () => {
    let legacy: LegacyDirectory
    beforeEach(async () => {
      legacy = await LegacyDirectory.make()
    })
    afterEach(() => legacy[Symbol.asyncDispose]())

    test('a file with two messages and a summary arrives whole, with its tool calls, and is counted', async () => {
      await legacy.snapshot('a.json', { key: 'a', messages: [toolCall, toolResult], summary: 'so far' })
      expect((await migrateDirectory(store, legacy.path)).counts.imported).toBe(1)
      await reopen()
      expect(JSON.stringify(await store.getHistory('a'))).toBe(JSON.stringify([toolCall, toolResult]))
      expect(await store.getSummary('a')).toBe('so far')
    })

    test('several files are all migrated, an invalid one is skipped, and a meta file is no snapshot', async () => {
      for (const key of ['a', 'b', 'c']) await legacy.snapshot(`${key}.json`, { key, messages: [toolResult] })
      await legacy.write('bad.json', '{ not json')
      await legacy.log('d', { key: 'd', messages: [toolCall], skip: 0, count: 1 }, [toolResult])
      const report = await migrateDirectory(store, legacy.path)
      expect(report.counts).toMatchObject({ imported: 4, invalid: 1 })
      for (const key of ['a', 'b', 'c', 'd']) expect(await store.getHistory(key)).toEqual([toolResult])
      expect((await legacy.names()).filter((file) => !file.endsWith('.migrated'))).toEqual(['bad.json'])
    })

    test('the key is read from the content, and a second run migrates nothing', async () => {
      await legacy.snapshot('telegram_123.json', { key: 'telegram:123', messages: [toolResult] })
      await migrateDirectory(store, legacy.path)
      expect(await legacy.names()).toEqual(['telegram_123.json.migrated'])
      expect(await store.getHistory('telegram:123')).toEqual([toolResult])
      expect(await store.getHistory('telegram_123')).toEqual([])
      expect((await migrateDirectory(store, legacy.path)).counts.imported).toBe(0)
      expect(await store.getHistory('telegram:123')).toHaveLength(1)
    })

    test('a retry after a crash between import and rename does not duplicate messages', async () => {
      await legacy.snapshot('a.json', { key: 'a', messages: [toolCall, toolResult] })
      await migrateDirectory(store, legacy.path)
      await rename(join(legacy.path, 'a.json.migrated'), join(legacy.path, 'a.json'))
      await reopen()
      expect((await migrateDirectory(store, legacy.path)).files).toMatchObject([{ status: 'already-there' }])
      expect(await store.getHistory('a')).toHaveLength(2)
      expect(await legacy.names()).toEqual(['a.json.migrated'])
    })

    test('a directory that does not exist migrates nothing', async () => {
      expect((await migrateDirectory(store, join(legacy.path, 'none'))).files).toEqual([])
    })

    test('a stale count in a legacy file does not make its truncation miscount', async () => {
      const lines = numbered(1, 101).map((content) => ({ role: 'user', content }))
      await legacy.log('a', { key: 'a', skip: 98, count: 100 }, lines)
      await migrateDirectory(store, legacy.path)
      expect(await contents('a')).toEqual(numbered(99, 101))
    })
  })

  describe('the session manager', () => {
    test('adds, reads back, replaces, and keeps sessions apart', async () => {
      const sessions = createSessionManager(store)
      void sessions.addMessage('a', 'user', 'hello')
      void sessions.addFullMessage('a', toolCall)
      void sessions.setSummary('a', 'so far')
      void sessions.addMessage('b', 'user', 'other')
      expect(await sessions.getHistory('a')).toEqual([{ role: 'user', content: 'hello' }, toolCall])
      expect(await sessions.getSummary('a')).toBe('so far')
      expect(await sessions.getHistory('empty')).toEqual([])
      void sessions.setHistory('a', [toolResult])
      expect(await sessions.getHistory('a')).toEqual([toolResult])
      expect(await sessions.getHistory('b')).toHaveLength(1)
    })

    test('summary, truncation to the last 4, save: both remain, the files shrink, also after reopening', async () => {
      const secret = randomBytes(48).toString('base64url')
      await store.addMessage('a', 'user', secret)
      await reopen()
      const sessions = createSessionManager(store)
      for (let i = 1; i <= 19; i++) void sessions.addMessage('a', 'user', `message ${i}`)
      void sessions.setSummary('a', 'the beginning')
      void sessions.truncateHistory('a', 4)
      await sessions.save('a')
      await sessions.close()
      store = await open()
      expect(await isOnDisk(directory, secret)).toBe(false)
      expect(await contents('a')).toEqual(numbered(16, 19))
      expect(await store.getSummary('a')).toBe('the beginning')
    })

    test('close releases all files', async () => {
      const sessions = createSessionManager(store)
      void sessions.addMessage('a', 'user', 'hello')
      await sessions.close()
      store = await open() // would be LOCKED
      expect(await store.getHistory('a')).toHaveLength(1)
    })
  })
})
