import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { sqliteBackend } from '@turnlog/sqlite-backend'
import { expect, test } from 'vitest'

import { makeBackend, temporaryDirectory } from './sample-store.ts'

const INVALID = expect.objectContaining({ code: 'INVALID_CONFIG' }) as Error

test.each([
  {},
  { path: '' },
  { path: ':memory:' },
  { path: 'file:sessions.db' },
  { path: '//sessions.db' },
  { path: './sessions/' },
  { path: 'a\0b' },
  { path: 'x', durability: 'none' },
  { path: 'x', driver: '' },
  { path: 'x', worker: 'yes' },
  { path: 'x', tablePrefix: 'a b' },
  { path: 'x', tablePrefix: 'sqlite_mine' },
  { path: 'x', waitMs: -1 },
  { path: 'x', pollMs: 0 },
  { path: 'x', cacheBytes: 1 },
  { database: {} },
  { database: { prepare() {}, exec() {}, close() {} }, path: 'x' },
])('%j is refused when the backend is made', (options) => {
  expect(() => sqliteBackend(options as never)).toThrow(INVALID)
})

test.each([
  ['none', undefined, /There is no better-sqlite3 in/],
  ['too old', '11.0.0', /too old/],
  ['one that does not load', '12.99.0', /install script did not run.*pnpm approve-builds/],
])('a driver that cannot be used is refused with what to do: %s', async (_, version, message) => {
  const directory = temporaryDirectory()
  const driver = join(directory, 'better-sqlite3')
  if (version !== undefined) {
    mkdirSync(driver)
    writeFileSync(join(driver, 'package.json'), JSON.stringify({ name: 'better-sqlite3', version, main: 'index.js' }))
    writeFileSync(join(driver, 'index.js'), 'throw new Error("no native build")')
  }
  const opening = makeBackend(join(directory, 'sessions.db'), { driver }).open()
  await expect(opening).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringMatching(message) as string,
  })
})

test.runIf(process.versions.node.startsWith('20.'))(
  'better-sqlite3 13 is refused before it ends the process',
  async () => {
    const driver = temporaryDirectory()
    writeFileSync(
      join(driver, 'package.json'),
      JSON.stringify({ name: 'better-sqlite3', version: '13.2.0', main: 'index.js' }),
    )
    writeFileSync(join(driver, 'index.js'), 'process.abort()')
    const opening = makeBackend(join(driver, 'sessions.db'), { driver }).open()
    await expect(opening).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('better-sqlite3@12') as string,
    })
  },
)
