import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { sqliteBackend } from '@turnlog/sqlite-backend'
import { expect, test } from 'vitest'

import { openDatabase } from './instance-target.mjs'
import {
  describeSqlite,
  grow,
  makeBackend,
  openBackend,
  readAll,
  temporaryDirectory,
  writeSample,
} from './sample-store.ts'

describeSqlite('opening', () => {
  test.skipIf(process.platform === 'win32')('makes what is missing, for its owner alone', async () => {
    const path = join(temporaryDirectory(), 'a', 'b', 'sessions.db')
    const backend = await openBackend(path)
    await grow(backend, 's', 1)
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700)
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('refuses a directory and a file that is no database, and leaves them alone', async () => {
    const directory = temporaryDirectory()
    const text = join(directory, 'notes.db')
    writeFileSync(text, 'These are my notes, and not a database. '.repeat(100))
    const before = readFileSync(text)
    for (const path of [directory, text]) {
      await expect(makeBackend(path).open()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    }
    expect(readFileSync(text)).toEqual(before)
  })

  test('refuses tables of somebody else with its names, and writes nothing', async () => {
    const path = join(temporaryDirectory(), 'mine.db')
    const mine = openDatabase(path)
    mine.exec('CREATE TABLE turnlog_events (id INTEGER PRIMARY KEY, what TEXT); CREATE TABLE others (x)')
    mine.close()
    const before = readFileSync(path)
    await expect(makeBackend(path).open()).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    expect(readFileSync(path)).toEqual(before)
  })

  test('lives beside tables of others and of another prefix', async () => {
    const path = join(temporaryDirectory(), 'mine.db')
    const mine = openDatabase(path)
    mine.exec("CREATE TABLE sessions (x); INSERT INTO sessions VALUES ('mine')")
    const [one, other] = [await openBackend(path), await openBackend(path, { tablePrefix: 'agent_' })]
    await grow(one, 's', 2)
    await grow(other, 's', 3)
    await other.erase('s', 3)
    expect(await readAll(one, 's')).toHaveLength(2)
    expect(mine.prepare('SELECT x FROM sessions').all()).toMatchObject([{ x: 'mine' }])
    mine.close()
  })

  test('works on a connection of the caller, and leaves it open', async () => {
    const database = openDatabase(join(temporaryDirectory(), 'mine.db'))
    const backend = sqliteBackend({ database })
    await backend.open()
    await grow(backend, 's', 600)
    expect(await readAll(backend, 's')).toHaveLength(600)
    await backend.close()
    expect(database.prepare('SELECT count(*) AS count FROM turnlog_messages').get()).toMatchObject({ count: 600 })
    database.close()
  })

  test('refuses a newer format', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    await writeSample(path)
    const database = openDatabase(path)
    const { crc32 } = await import('node:zlib')
    database
      .prepare("UPDATE turnlog_meta SET value = '2', crc = ? WHERE key = 'format'")
      .run(crc32('2', crc32('format\n')))
    database.close()
    await expect(makeBackend(path).open()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  test('makes no new database where the log of one is left', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    writeFileSync(`${path}-wal`, 'a log')
    await expect(makeBackend(path).open()).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(existsSync(path)).toBe(false)
  })

  test('refuses a store whose repair was interrupted until it is repaired', async () => {
    const path = join(temporaryDirectory(), 'sessions.db')
    await writeSample(path)
    writeFileSync(`${path}.repaired`, '')
    await expect(makeBackend(path).open()).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('goes on with a file that was moved while it was closed', async () => {
    const directory = temporaryDirectory()
    const path = join(directory, 'sessions.db')
    await writeSample(path)
    mkdirSync(join(directory, 'elsewhere'))
    const moved = join(directory, 'elsewhere', 'other.db')
    renameSync(path, moved)
    expect(await readAll(await openBackend(moved), 'telegram:1')).toHaveLength(72)
  })
})
