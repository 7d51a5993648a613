import { lstatSync, promises as files } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openStore } from 'turnlog'
import type { StoreConfig, StoreWarning } from '@turnlog/core'
import { migrateDirectory } from '@turnlog/importers'
import { copyStore, exportSessions, importSessions } from '@turnlog/transfer'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { contentsOf, fillWithSamples } from '../../transfer/test/sample-sessions.ts'
import { LegacyDirectory } from '../../importers/test/legacy/legacy-directory.ts'

const BACKENDS = {
  leveldb: (path: string) => leveldbBackend({ path, durability: 'os' }),
  jsonl: (path: string) => jsonlBackend({ path, durability: 'os' }),
}
const hello = { role: 'user', content: 'hello' }

let root: string
let legacy: LegacyDirectory

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'turnlog-open-'))
  legacy = await LegacyDirectory.make()
})

afterEach(async () => {
  await legacy[Symbol.asyncDispose]()
  await rm(root, { recursive: true, force: true })
})

describe.each(['leveldb', 'jsonl'] as const)('opening %s with migrateFrom', (backend) => {
  const configure = (more: Partial<StoreConfig> = {}): StoreConfig =>
    ({
      backend: ({ path }: { path?: string }) => BACKENDS[backend](String(path)),
      path: join(root, 'store'),
      migrateFrom: legacy.path,
      ...more,
    }) as StoreConfig

  test('migrates before it resolves, once', async () => {
    await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
    for (const names of [['a.json.migrated'], ['a.json.migrated']]) {
      await using store = await openStore(configure())
      expect(await store.getHistory('a')).toEqual([hello])
      expect(await legacy.names()).toEqual(names)
    }
  })

  test('fails as a whole if one session cannot be brought over, releases the store, and completes on a retry', async () => {
    await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
    await legacy.snapshot('b.json', { key: 'b', messages: [{ role: 'user', content: 'x'.repeat(5000) }] })
    const failed = openStore(configure({ limits: { maxMessageBytes: 1000 } }))
    await expect(failed).rejects.toMatchObject({ code: 'TOO_LARGE', session: 'b' })
    await expect(failed).rejects.toThrow(/not opened.*limits\.maxMessageBytes.*open again/s)
    await using store = await openStore(configure())
    expect(await store.getHistory('a')).toEqual([hello])
    expect(await store.getHistory('b')).toHaveLength(1)
    expect((await legacy.names()).every((name) => name.endsWith('.migrated'))).toBe(true)
  })

  test('fails if an original cannot be renamed, and imports nothing twice on the retry', async () => {
    await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
    const original = files.rename.bind(files)
    const rename = vi.spyOn(files, 'rename').mockImplementation(async (from, to) => {
      if (String(from).endsWith('a.json')) throw Object.assign(new Error('denied'), { code: 'EACCES' })
      await original(from, to)
    })
    try {
      await expect(openStore(configure())).rejects.toMatchObject({
        code: 'IO',
        message: expect.stringContaining('EACCES'),
      })
    } finally {
      rename.mockRestore()
    }
    await using store = await openStore(configure())
    expect(await store.getHistory('a')).toEqual([hello])
    expect(await legacy.names()).toEqual(['a.json.migrated'])
  })

  test('warns about files that are no sessions and about conflicts, and opens', async () => {
    await legacy.snapshot('a.json', { key: 'a', messages: [hello] })
    await legacy.snapshot('z.json', { key: 'a', messages: [hello, hello] })
    await legacy.log('lines', { key: 'lines' }, ['{', hello])
    await legacy.write('bad.json', '{')
    const warnings: StoreWarning[] = []
    await using store = await openStore(configure({ onWarning: (warning) => warnings.push(warning) }))
    expect(await store.getHistory('a')).toEqual([hello])
    expect(warnings.map(({ code }) => code).sort()).toEqual([
      'MIGRATION_BAD_LINES',
      'MIGRATION_CONFLICT',
      'MIGRATION_INVALID',
    ])
  })

  test('a directory that does not exist is no reason not to open, a file in its place is', async () => {
    const store = await openStore(configure({ migrateFrom: join(root, 'none') }))
    await store.close()
    await legacy.write('file', '')
    const failing = openStore(configure({ migrateFrom: join(legacy.path, 'file') }))
    await expect(failing).rejects.toMatchObject({ code: 'IO', message: expect.stringContaining('not opened') })
    await (await openStore(configure())).close() // the lock is free
  })

  test('is refused for the directory of the store itself, and for a store that is opened for reading', async () => {
    const path = join(root, 'store')
    await expect(openStore(configure({ migrateFrom: join(path, '..', 'store') }))).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    })
    await expect(openStore(configure({ readOnly: true }))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })

  test('is relative to the configuration file, like the path', async () => {
    await mkdir(join(root, 'old'))
    const old = join(root, 'old', 'a.json')
    await files.writeFile(old, JSON.stringify({ key: 'a', messages: [hello] }))
    await using store = await openStore(
      configure({ path: 'new', migrateFrom: 'old', configFile: join(root, 'turnlog.config.js') }),
    )
    expect(await store.getHistory('a')).toEqual([hello])
  })
})

describe.each(['leveldb', 'jsonl'] as const)('a hostile directory on %s', (backend) => {
  test('never writes outside the store and never stops the rest, also with a message of 50 MB', async () => {
    const outside = join(root, 'outside')
    await mkdir(outside)
    await files.writeFile(join(outside, 'secret.json'), JSON.stringify({ key: 'secret', messages: [hello] }))
    const large = { role: 'tool', content: 'x'.repeat(50 * 1024 * 1024) }
    await legacy.snapshot('large.json', { key: 'large', messages: [hello, large] })
    await legacy.log('large-log', { key: 'large-log' }, [hello, large, hello])
    const keys = [
      '../../escape',
      '/etc/passwd',
      'a:b',
      'a/b',
      'a_b',
      'CON',
      'nul.',
      '.',
      '..',
      'ü/ß',
      'x'.repeat(512),
      '%2e%2e',
    ]
    for (const [i, key] of keys.entries()) await legacy.snapshot(`${i}.json`, { key, messages: [{ ...hello, i }] })
    await legacy.write('latin.json', Buffer.from([0x7b, 0xff, 0x7d]))
    await legacy.write('empty.json', '')
    await legacy.write('empty.jsonl', '')
    await mkdir(join(legacy.path, 'x.json'))
    await symlink(join(outside, 'secret.json'), join(legacy.path, 'link.json'))
    await symlink(join(legacy.path, '0.json'), join(legacy.path, 'inner.json'))

    const path = join(root, 'store')
    const small = await openStore(BACKENDS[backend](path))
    const first = await migrateDirectory(small, legacy.path)
    expect(first.counts).toEqual({
      imported: keys.length,
      'already-there': 0,
      conflict: 0,
      invalid: 3,
      failed: 2,
      skipped: 3,
    })
    for (const [i, key] of keys.entries()) expect(await small.getHistory(key)).toEqual([{ ...hello, i }])
    expect(await small.getHistory('secret')).toEqual([])
    await small.close()

    await using store = await openStore({
      backend: BACKENDS[backend](path),
      limits: { maxMessageBytes: 64 * 1024 * 1024 },
    })
    const second = await migrateDirectory(store, legacy.path)
    expect(second.counts).toMatchObject({ imported: 2, failed: 0 })
    expect((await store.getHistory('large'))[1]?.['content']).toHaveLength(50 * 1024 * 1024)
    expect(await store.getHistory('large-log')).toHaveLength(3)
    expect((await store.verify()).problems).toEqual([])
    expect((await files.readdir(root)).sort()).toEqual(['outside', 'store'])
    expect(await files.readdir(outside)).toEqual(['secret.json'])
    expect(lstatSync(join(legacy.path, 'link.json')).isSymbolicLink()).toBe(true)
  }, 120_000)
})

describe.each([
  ['leveldb', 'jsonl'],
  ['jsonl', 'leveldb'],
] as const)('from %s to %s', (from, to) => {
  test('a copy has every event, and an export says the same on both', async () => {
    const source = BACKENDS[from](join(root, 'source'))
    await source.open()
    await fillWithSamples(source)
    const target = BACKENDS[to](join(root, 'target'))
    await target.open()
    expect(await copyStore(source, target)).toMatchObject({ ok: true, counts: { copied: 6 } })
    expect(JSON.stringify(await contentsOf(target))).toBe(JSON.stringify(await contentsOf(source)))
    const exported = async (backend: typeof source): Promise<string> => {
      let text = ''
      for await (const line of exportSessions(backend)) text += line
      return text
    }
    const text = await exported(source)
    expect(await exported(target)).toBe(text)
    expect(await importSessions(target, exportSessions(source))).toMatchObject({
      ok: true,
      counts: { 'already-there': 6 },
    })
    await target.close()
    await source.close()
    await using store = await openStore(BACKENDS[to](join(root, 'target')))
    expect(await store.verify()).toMatchObject({ ok: true, sessions: 6, problems: [] })
    await store.addMessage('compacted', 'user', 'goes on')
    expect(await store.getSummary('compacted')).toBe('short')
  })
})
