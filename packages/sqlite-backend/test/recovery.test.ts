import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { describeSqlite, flip, makeBackend, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

/** A store with a log that nobody has carried over into the database. */
function crashedStore(): string {
  const path = join(temporaryDirectory(), 'sessions.db')
  spawnSync(process.execPath, [join(import.meta.dirname, 'crash-child.mjs'), path], { stdio: 'inherit' })
  return path
}

/** Elsewhere a process cannot see whether it has the store open already, and does not look at the index. */
const IS_ELSEWHERE = process.platform !== 'linux'

describeSqlite(
  'after a crash',
  () => {
    test('all that was acknowledged is there', async () => {
      const backend = makeBackend(crashedStore())
      expect((await backend.open()).findings).toEqual([])
      expect(await readAll(backend, 's')).toHaveLength(3)
    })

    test.each([1, 2, 3])('a flipped bit in the log of append %i is damage, and with "os" a lost tail', async (seq) => {
      const path = crashedStore()
      const log = `${path}-wal`
      flip(log, readFileSync(log).lastIndexOf(`event number ${seq}`), 0)
      await expect(makeBackend(path, { durability: 'sync' }).open()).rejects.toMatchObject({ code: 'CORRUPT' })
      const { findings } = await makeBackend(path, { durability: 'os' }).open()
      expect(findings).toMatchObject([{ kind: 'lost-tail' }])
    })

    test('a damaged header of the log is damage as well', async () => {
      const path = crashedStore()
      flip(`${path}-wal`, 9, 0)
      await expect(makeBackend(path, { durability: 'sync' }).open()).rejects.toMatchObject({ code: 'CORRUPT' })
    })

    test('without the index of the log the last transaction may be taken for one that was not finished', async () => {
      const path = crashedStore()
      const log = `${path}-wal`
      rmSync(`${path}-shm`)
      truncateSync(log, readFileSync(log).length - 10)
      const backend = makeBackend(path, { durability: 'sync' })
      expect((await backend.open()).findings).toMatchObject([{ kind: 'torn-tail' }])
      expect(await readAll(backend, 's')).toHaveLength(2)
    })

    test('an earlier one is damage also without the index', async () => {
      const path = crashedStore()
      rmSync(`${path}-shm`)
      flip(`${path}-wal`, readFileSync(`${path}-wal`).indexOf('event number 1'), 0)
      await expect(makeBackend(path, { durability: 'sync' }).open()).rejects.toMatchObject({ code: 'CORRUPT' })
    })

    test('a repair gives up what lies behind the damage, and keeps the log', async () => {
      const path = crashedStore()
      const log = `${path}-wal`
      flip(log, readFileSync(log).lastIndexOf('event number 3'), 0)
      const before = readFileSync(log)
      const backend = makeBackend(path, { durability: 'sync' })
      const { applied, backup } = (await backend.maintenance?.repair({ apply: true })) ?? {}
      expect(applied).toBe(true)
      expect(readFileSync(`${backup}-wal`)).toEqual(before)
      await backend.close()
      expect(await readAll(await openBackend(path), 's')).toHaveLength(2)
    })
  },
  IS_ELSEWHERE,
)
