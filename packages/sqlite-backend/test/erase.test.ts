import { randomInt } from 'node:crypto'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openDatabase } from './instance-target.mjs'
import { describeSqlite, filesWith, grow, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

const STORES = process.env['TURNLOG_THOROUGH'] === '1' ? 240 : 8
const CANARY = 'canary-of-the-erased-session'

describeSqlite('erase', () => {
  test('no byte of an erased session is left in any file, whatever was written before and beside it', async () => {
    const seed = randomInt(2 ** 31)
    const random = randomOf(seed)
    for (let store = 0; store < STORES; store++) {
      const directory = temporaryDirectory()
      const backend = await openBackend(join(directory, 'sessions.db'))
      const rounds = 5 + random(30)
      for (let round = 0; round < rounds; round++) {
        await grow(backend, 'erased', 1 + random(4), { pad: CANARY.repeat(1 + random(60)) })
        await grow(backend, `other-${random(5)}`, 1 + random(4), { pad: 'x'.repeat(random(3000)) })
        const { last = 1 } = (await backend.head('erased')) ?? {}
        if (random(4) === 0) await grow(backend, 'erased', 1, { pad: CANARY, trimBefore: 1 + random(last) })
      }
      expect(filesWith(directory, CANARY)).not.toEqual([])
      const { last = 0 } = (await backend.head('erased')) ?? {}
      await backend.erase('erased', last)
      expect(filesWith(directory, CANARY), `seed ${seed}, store ${store}`).toEqual([])
      await backend.close()
    }
  })

  test('beside a reader elsewhere it says that bytes are left, and the next opening removes them', async () => {
    const directory = temporaryDirectory()
    const path = join(directory, 'sessions.db')
    const backend = await openBackend(path, { waitMs: 50 })
    await grow(backend, 'erased', 3, { pad: CANARY })
    const reader = openDatabase(path)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM turnlog_events').get()
    await expect(backend.erase('erased', 3)).rejects.toMatchObject({ code: 'IO' })
    expect(await backend.head('erased')).toBeUndefined()
    expect((await backend.maintenance?.verify())?.problems).toHaveLength(1)
    reader.exec('COMMIT')
    reader.close()
    await backend.maintenance?.reclaim()
    expect(filesWith(directory, CANARY)).toEqual([])
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
  })

  test('a read that has begun before goes on with what it saw', async () => {
    const backend = await openBackend(join(temporaryDirectory(), 'sessions.db'))
    await grow(backend, 'erased', 1000)
    const batches = backend.read('erased', [{ from: 1, to: 1000 }])[Symbol.asyncIterator]()
    const seqs: number[] = []
    for (let step = await batches.next(); step.done !== true; step = await batches.next()) {
      seqs.push(...step.value.map(({ seq }) => seq))
      if (seqs.length < 300) await backend.erase('erased', 1000)
    }
    expect(seqs).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1))
    expect(await readAll(backend, 'erased')).toEqual([])
  })
})

function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
