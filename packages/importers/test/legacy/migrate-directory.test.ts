import { mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { migrateDirectory } from '@turnlog/importers'
import type { MigratedFile, MigrationReport } from '@turnlog/importers'
import { expect, test } from 'vitest'

import { CREATED_MS, LegacyDirectory, UPDATED_MS } from './legacy-directory.ts'

const hello = { role: 'user', content: 'hello' }
const answer = { role: 'assistant', content: 'hi' }

function byFile(report: MigrationReport): Record<string, MigratedFile> {
  return Object.fromEntries(report.files.map((file) => [file.file, file]))
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

async function infoOf(store: SessionStore, key: string) {
  for await (const info of store.listSessions({ prefix: key })) if (info.key === key) return info
  return undefined
}

test('a snapshot arrives whole, under the key in its contents, with its times', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  const call = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const result = { role: 'tool', content: '42', tool_call_id: 'c1', created_at: '2026-01-05T00:00:00Z' }
  await legacy.snapshot('telegram_123.json', {
    key: 'telegram:123',
    messages: [hello, call, result],
    summary: 'so far',
  })
  const report = await migrateDirectory(store, legacy.path)
  expect(report.counts).toMatchObject({ imported: 1, conflict: 0, invalid: 0, failed: 0, skipped: 0 })
  expect(report.files).toEqual([
    {
      file: 'telegram_123.json',
      status: 'imported',
      key: 'telegram:123',
      messages: 3,
      truncated: 0,
      renamedTo: ['telegram_123.json.migrated'],
    },
  ])
  const view = await store.load('telegram:123')
  expect(view.messages).toEqual([hello, call, result])
  expect(view.summary).toBe('so far')
  expect(view.times).toEqual([CREATED_MS, CREATED_MS, Date.UTC(2026, 0, 5)])
  expect(await infoOf(store, 'telegram:123')).toMatchObject({
    createdAt: CREATED_MS,
    updatedAt: UPDATED_MS,
    messages: 3,
  })
  expect(await store.verify()).toMatchObject({ ok: true, sessions: 1 })
  expect(await legacy.names()).toEqual(['telegram_123.json.migrated'])
})

test.each([
  ['nothing but messages', { messages: [hello, answer] }],
  ['a last message with a time of its own', { messages: [hello, { ...answer, created_at: '2026-01-09T00:00:00Z' }] }],
  ['a first message with a time of its own', { messages: [{ ...hello, created_at: '2026-01-09T00:00:00Z' }] }],
  ['no message', { messages: [] }],
  ['null for messages', { messages: null }],
])('created and updated survive with %s', async (_, fields) => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.snapshot('a.json', { key: 'a', ...fields })
  await migrateDirectory(store, legacy.path)
  expect(await infoOf(store, 'a')).toMatchObject({ createdAt: CREATED_MS, updatedAt: UPDATED_MS })
  expect((await store.verify()).problems).toEqual([])
})

test('the truncated lines of a log are recorded and not part of the history', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  const lines = Array.from({ length: 10 }, (_, i) => ({ role: 'user', content: `message ${i}` }))
  const meta = {
    key: 'a/b',
    summary: 'old',
    skip: 6,
    count: 9,
    scope: { user: 'u1' },
    aliases: ['x', 'y'],
    flavour: 'new',
  }
  await legacy.log('a_b', meta, lines)
  const report = await migrateDirectory(store, legacy.path)
  expect(byFile(report)['a_b.jsonl']).toMatchObject({ status: 'imported', key: 'a/b', messages: 10, truncated: 6 })
  const view = await store.load('a/b')
  expect(view.messages).toEqual(lines.slice(6))
  expect(view.metadata).toEqual({ scope: { user: 'u1' }, aliases: ['x', 'y'] })
  expect(view.summary).toBe('old')
  // Nothing is lost: the cut can be undone.
  const [imported] = await collect(store.events('a/b', { limit: 1 }))
  expect(imported).toMatchObject({
    type: 'Noted',
    kind: 'imported',
    data: { format: 'jsonl', fields: { flavour: 'new' } },
  })
  await store.restore('a/b', { at: 11 })
  expect(await store.getHistory('a/b')).toEqual(lines)
  expect(await legacy.names()).toEqual(['a_b.jsonl.migrated', 'a_b.meta.json.migrated'])
})

test('lines that are no messages are reported by number, count for skip, and are kept aside', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.meta('a', { key: 'a', skip: 2 })
  const bytes = Buffer.concat([
    Buffer.from(`${JSON.stringify(hello)}\n\n{"role":"us\n`),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from(`[1]\r\n${JSON.stringify(answer)}\r\n{"content":"no role"}\n{"role":"torn`),
  ])
  await legacy.write('a.jsonl', bytes)
  const report = await migrateDirectory(store, legacy.path)
  expect(byFile(report)['a.jsonl']).toMatchObject({
    status: 'imported',
    messages: 2,
    truncated: 1,
    badLines: [3, 4, 5, 7, 8],
  })
  expect(await store.getHistory('a')).toEqual([answer])
  const notes = (await collect(store.events('a'))).filter((event) => event.type === 'Noted')
  expect(notes.at(-1)).toMatchObject({
    kind: 'imported-bad-lines',
    data: [
      { line: 3, text: '{"role":"us' },
      { line: 4, base64: '//4=' },
      { line: 5, text: '[1]' },
      { line: 7, text: '{"content":"no role"}' },
      { line: 8, text: '{"role":"torn' },
    ],
  })
  expect((await store.verify()).problems).toEqual([])
})

test('a meta file alone is a session with a summary, and never a snapshot', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.meta('only', { key: 'only', summary: 'just this', messages: [hello] })
  await migrateDirectory(store, legacy.path)
  expect(await store.getSummary('only')).toBe('just this')
  expect(await store.getHistory('only')).toEqual([])
  expect(await legacy.names()).toEqual(['only.meta.json.migrated'])
})

test('a second run does nothing', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
  await legacy.log('b', { key: 'b' }, [hello])
  await migrateDirectory(store, legacy.path)
  const versions = [(await store.load('a')).version, (await store.load('b')).version]
  expect((await migrateDirectory(store, legacy.path)).files).toEqual([])
  expect([(await store.load('a')).version, (await store.load('b')).version]).toEqual(versions)
})

test('a retry after a crash between import and rename only renames, also when the session has been used since', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
  await migrateDirectory(store, legacy.path)
  await rename(join(legacy.path, 'a.json.migrated'), join(legacy.path, 'a.json'))
  await store.addMessage('a', answer)
  const report = await migrateDirectory(store, legacy.path)
  expect(report.files).toMatchObject([{ status: 'already-there', renamedTo: ['a.json.migrated'] }])
  expect(await store.getHistory('a')).toEqual([hello, answer])

  // Not even 40 operations with ids of their own, which is more than a session remembers, make it forget.
  await rename(join(legacy.path, 'a.json.migrated'), join(legacy.path, 'a.json'))
  for (let i = 0; i < 40; i++) await store.addMessage('a', answer, { operationId: `op ${i}` })
  expect((await migrateDirectory(store, legacy.path, { dryRun: true })).files).toMatchObject([
    { status: 'already-there' },
  ])
  expect((await migrateDirectory(store, legacy.path)).files).toMatchObject([{ status: 'already-there' }])
  expect(await store.getHistory('a')).toHaveLength(42)
})

test('a retry after a crash between the two renames of a log renames the rest', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.log('a', { key: 'a', skip: 1 }, [hello, answer])
  await migrateDirectory(store, legacy.path)
  await rename(join(legacy.path, 'a.meta.json.migrated'), join(legacy.path, 'a.meta.json'))
  expect((await migrateDirectory(store, legacy.path)).files).toMatchObject([
    { file: 'a.jsonl', status: 'already-there' },
  ])
  expect(await legacy.names()).toEqual(['a.jsonl.migrated', 'a.meta.json.migrated'])
  expect(await store.getHistory('a')).toEqual([answer])
})

test('a session that the store has with other contents is reported and neither is touched', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await store.addMessage('a', 'user', 'newer')
  await store.addMessage('gone', 'user', 'soon')
  await store.deleteSession('gone')
  await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
  await legacy.snapshot('gone.json', { key: 'gone', messages: [hello] })
  const report = await migrateDirectory(store, legacy.path)
  expect(report.files).toMatchObject([
    { status: 'conflict', key: 'a', code: 'CONFLICT' },
    { status: 'conflict', key: 'gone' },
  ])
  expect(await store.getHistory('a')).toEqual([{ role: 'user', content: 'newer' }])
  expect(await store.getHistory('gone')).toEqual([])
  expect(await legacy.names()).toEqual(['a.json', 'gone.json'])
})

test('an original is never replaced by that of a later migration', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.write('a.json.migrated', 'from an earlier one')
  await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
  expect((await migrateDirectory(store, legacy.path)).files).toMatchObject([{ renamedTo: ['a.json.migrated.2'] }])
  expect(await legacy.read('a.json.migrated')).toBe('from an earlier one')
})

test('a dry run says what would happen and changes nothing', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
  await legacy.snapshot('copy.json', { key: 'a', messages: [hello] })
  await legacy.snapshot('other.json', { key: 'a', messages: [answer] })
  await legacy.write('bad.json', '{')
  const before = await legacy.names()
  const foreseen = await migrateDirectory(store, legacy.path, { dryRun: true })
  expect(await legacy.names()).toEqual(before)
  expect(await collect(store.listSessions())).toEqual([])
  const done = await migrateDirectory(store, legacy.path)
  const statuses = (report: MigrationReport) => report.files.map(({ file, status }) => [file, status])
  expect(statuses(foreseen)).toEqual([
    ['a.json', 'imported'],
    ['bad.json', 'invalid'],
    ['copy.json', 'already-there'],
    ['other.json', 'conflict'],
  ])
  expect(statuses(done)).toEqual(statuses(foreseen))
})

test('a hostile directory never stops the rest and never leads outside', async () => {
  await using legacy = await LegacyDirectory.make()
  await using outside = await LegacyDirectory.make()
  await using store = await openStore({ backend: 'memory', limits: { maxMessageBytes: 1000 } })
  await outside.snapshot('secret.json', { key: 'secret', messages: [hello] })
  await legacy.snapshot('path.json', { key: '../../etc/passwd', messages: [hello] })
  await legacy.snapshot('a_b.json', { key: 'a:b', messages: [hello] })
  await legacy.snapshot('a_b (2).json', { key: 'a_b', messages: [answer] })
  await legacy.snapshot('control.json', { key: 'a\u0000b', messages: [hello] })
  await legacy.snapshot('long.json', { key: 'k'.repeat(513), messages: [hello] })
  await legacy.snapshot('large.json', { key: 'large', messages: [{ role: 'tool', content: 'x'.repeat(2000) }] })
  await legacy.log('large-line', { key: 'large-line' }, [hello, { role: 'tool', content: 'x'.repeat(2000) }])
  await legacy.write('latin.json', Buffer.from([0x7b, 0x22, 0xe4, 0x22, 0x7d]))
  await legacy.write('empty.json', '')
  await legacy.write('array.json', '[]')
  await legacy.write('number-key.json', '{"key":7,"messages":[]}')
  await legacy.write('no-key.json', '{"messages":[]}')
  await legacy.write('settings.json', '{"key":"theme"}')
  await legacy.write('no-meta.jsonl', JSON.stringify(hello))
  await legacy.log('bad-skip', { key: 'bad-skip', skip: -1 }, [hello])
  await legacy.write('proto.json', '{"key":"proto","messages":[{"role":"user","__proto__":{"polluted":true}}]}')
  await mkdir(join(legacy.path, 'x.json'))
  await symlink(join(outside.path, 'secret.json'), join(legacy.path, 'link.json'))
  await symlink(join(outside.path, 'secret.json'), join(legacy.path, 'linked.jsonl'))
  await legacy.meta('linked', { key: 'linked' })

  const { files, counts } = await migrateDirectory(store, legacy.path)
  const report = Object.fromEntries(files.map(({ file, status }) => [file, status]))
  expect(report).toEqual({
    'path.json': 'imported',
    'a_b.json': 'imported',
    'a_b (2).json': 'imported',
    'proto.json': 'imported',
    'large.json': 'failed',
    'large-line.jsonl': 'failed',
    'x.json': 'skipped',
    'link.json': 'skipped',
    'linked.jsonl': 'skipped',
    'linked.meta.json': 'invalid',
    'control.json': 'invalid',
    'long.json': 'invalid',
    'latin.json': 'invalid',
    'empty.json': 'invalid',
    'array.json': 'invalid',
    'number-key.json': 'invalid',
    'no-key.json': 'invalid',
    'settings.json': 'invalid',
    'no-meta.jsonl': 'invalid',
    'bad-skip.jsonl': 'invalid',
  })
  expect(counts).toMatchObject({ imported: 4, failed: 2, skipped: 3, invalid: 11 })
  for (const { reason, status } of files) if (status !== 'imported') expect(reason).toMatch(/\.$/)
  expect(files.find(({ file }) => file === 'large-line.jsonl')).toMatchObject({
    code: 'TOO_LARGE',
    reason: expect.stringContaining('line 2'),
  })
  const keys = (await collect(store.listSessions())).map(({ key }) => key)
  expect(keys).toEqual(['../../etc/passwd', 'a:b', 'a_b', 'proto'])
  expect(await store.getHistory('a:b')).toEqual([hello])
  expect(await store.getHistory('a_b')).toEqual([answer])
  const [proto] = await store.getHistory('proto')
  expect(Object.keys(proto as object)).toEqual(['role', '__proto__'])
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(await outside.names()).toEqual(['secret.json'])
  expect((await store.verify()).problems).toEqual([])
})

test('reports and errors never contain what a file says', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  await legacy.write('a.json', '{"key":"a","messages":[{"role":"user","content":"SECRET"} SECRET')
  await legacy.write('b.json', 'SECRET')
  await legacy.log('c', { key: 'c' }, ['SECRET', hello])
  await legacy.snapshot('d.json', { key: 'd', messages: [{ content: 'SECRET' }] })
  expect(JSON.stringify(await migrateDirectory(store, legacy.path))).not.toContain('SECRET')
})

test('a directory that does not exist has no sessions, and a file is no directory', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  expect((await migrateDirectory(store, join(legacy.path, 'none'))).files).toEqual([])
  await legacy.write('file', '')
  await expect(migrateDirectory(store, join(legacy.path, 'file'))).rejects.toMatchObject({ code: 'IO' })
})

test('progress is told for each file, and a signal ends it between groups', async () => {
  await using legacy = await LegacyDirectory.make()
  await using store = await openStore('memory:')
  for (let i = 0; i < 300; i++) await legacy.snapshot(`${i}.json`, { key: `k${i}`, messages: [hello] })
  const done: number[] = []
  const controller = new AbortController()
  const first = migrateDirectory(store, legacy.path, {
    signal: controller.signal,
    onProgress: (progress) => {
      expect(progress).toMatchObject({ total: 300, file: { status: 'imported' } })
      done.push(progress.done)
      if (progress.done === 100) controller.abort(new Error('enough'))
    },
  })
  await expect(first).rejects.toThrow('enough')
  expect(done).toEqual(Array.from(done, (_, i) => i + 1))
  expect(done.length).toBeLessThan(300)
  const report = await migrateDirectory(store, legacy.path)
  expect(report.counts.imported).toBe(300 - done.length)
  expect(await legacy.names()).toHaveLength(300)
})

test('a closed store and a wrapper around a store are refused as a whole', async () => {
  await using legacy = await LegacyDirectory.make()
  const store = await openStore('memory:')
  await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
  await expect(migrateDirectory({ ...store }, legacy.path)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await store.close()
  await expect(migrateDirectory(store, legacy.path)).rejects.toMatchObject({ code: 'CLOSED' })
  expect(await legacy.names()).toEqual(['a.json'])
})
