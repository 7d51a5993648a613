import { randomBytes } from 'node:crypto'

import type { Message } from '@turnlog/core'
import { expect, test } from 'vitest'

import type { BackendName } from './lifecycle-backends.ts'
import { filesWith, inDirectory, openIn } from './lifecycle-backends.ts'

const BACKENDS: readonly BackendName[] = ['leveldb', 'jsonl']

test.each(BACKENDS)(
  '%s: an erased session leaves no byte in any file, and takes nothing else with it',
  async (name) => {
    await inDirectory(async (path) => {
      const marker = randomBytes(12).toString('hex')
      const key = `gone:${marker}`
      const others = Array.from({ length: 5 }, () => randomBytes(12).toString('hex'))
      const store = await openIn(name, path, { retention: { removedEventsForMs: 0 } })
      const chat = (own: string, round: number): Message[] =>
        Array.from({ length: 50 }, (_, i) => ({ role: 'user', content: `${own} ${round} ${i} ${'x'.repeat(200)}` }))
      for (let round = 0; round < 6; round++) {
        await store.addMessages(key, chat(marker, round))
        for (const other of others) await store.addMessages(`kept:${other}`, chat(other, round))
        await store.setSummary(key, `${marker} was here`)
        await store.setMetadata(key, { owner: marker })
        await store.note(key, 'usage', { marker })
        if (round === 1) await store.truncateHistory(key, 20)
        if (round === 2) await store.compact(key)
        if (round === 3) await store.truncateHistory(key, 10)
        if (round === 4) await store.sweep()
      }
      expect(await filesWith(path, marker)).not.toEqual([])

      // A reader that has begun and does not go on keeps nothing alive.
      const reader = store.events(key)[Symbol.asyncIterator]()
      await reader.next()
      expect(await store.deleteSession(key, { erase: true, reason: marker })).toBe(true)
      await reader.return?.()
      expect(await filesWith(path, marker)).toEqual([])

      for (const other of others) expect(await store.getHistory(`kept:${other}`)).toHaveLength(300)
      await store.close()
      expect(await filesWith(path, marker)).toEqual([])
      const again = await openIn(name, path)
      expect(await again.load(key)).toMatchObject({ version: 0, messages: [], summary: '' })
      expect(await again.verify()).toMatchObject({ ok: true, sessions: 5 })
      expect(await again.addMessage(key, 'user', 'anew')).toMatchObject({ version: 1 })
      await again.close()
    })
  },
)

test.each(BACKENDS)('%s: what expires leaves only a trace, and then nothing', async (name) => {
  await inDirectory(async (path) => {
    const marker = randomBytes(12).toString('hex')
    const now = { wall: Date.UTC(2026, 0, 1) }
    const clock = { now: () => now.wall, monotonic: () => now.wall, schedule: () => () => undefined }
    const store = await openIn(name, path, { clock, expire: { idleForMs: 1000, tracesForMs: 1000 } })
    await store.addMessages(
      `gone:${marker}`,
      Array.from({ length: 200 }, (_, i) => ({ role: 'user', content: `${i}` })),
    )
    const results = []
    for (let sweep = 0; sweep < 4; sweep++) {
      now.wall += 60 * 60 * 1000
      results.push(await store.sweep())
    }
    expect(results.map(({ expired, tracesErased }) => [expired, tracesErased])).toEqual([
      [0, 0],
      [1, 0],
      [0, 0],
      [0, 1],
    ])
    expect(await filesWith(path, marker)).toEqual([])
    await store.close()
  })
})
