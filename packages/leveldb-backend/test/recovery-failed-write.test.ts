import { EventEmitter, once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'

import { ClassicLevel } from 'classic-level'
import { expect, test, vi } from 'vitest'

import { grow, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

/** The next batch that LevelDB is asked to write fails, as on a full disk. */
async function failNextBatch(): Promise<void> {
  const level = new ClassicLevel(temporaryDirectory())
  await level.open()
  const batch = level.batch()
  const chainedBatch = Object.getPrototypeOf(batch) as { _write(): Promise<void> }
  await batch.close()
  await level.close()
  vi.spyOn(chainedBatch, '_write').mockRejectedValueOnce(new Error('no space left'))
}

test.each([1, 63, 64, 73, 200])(
  'a session whose first append of %i events failed is as good as any other when it succeeds',
  async (count) => {
    const backend = await openBackend(temporaryDirectory())
    await grow(backend, 'other', 1)
    await failNextBatch()
    await expect(grow(backend, 'a', count)).rejects.toMatchObject({ code: 'IO' })
    expect(await backend.head('a')).toBeUndefined()
    for (const more of [count, 1, 5, 70]) await grow(backend, 'a', more)
    for (const from of [1, 2, count, count + 1]) {
      const ranges = [{ from, to: from + 2 }]
      const found: number[] = []
      for await (const batch of backend.read('a', ranges)) found.push(...batch.map(({ seq }) => seq))
      expect(found).toEqual([from, from + 1, from + 2])
    }
    expect(await readAll(backend, 'a')).toHaveLength(count + 76)
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
  },
)

test('a log that LevelDB removes while the store is made writable again is not missed', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 3)
  await failNextBatch()
  await expect(grow(backend, 'a', 1)).rejects.toMatchObject({ code: 'IO' })
  symlinkSync(join(path, 'gone'), join(path, '000001.log')) // is listed, and is not there when it is opened
  await grow(backend, 'a', 1)
  expect(await readAll(backend, 'a')).toHaveLength(4)
})

test('a failed append leaves the tail of its session to be sealed later', async () => {
  const backend = await openBackend(temporaryDirectory())
  await grow(backend, 'a', 60)
  await failNextBatch()
  await expect(grow(backend, 'a', 10)).rejects.toMatchObject({ code: 'IO' })
  await grow(backend, 'a', 2)
  await grow(backend, 'a', 70)
  expect(await readAll(backend, 'a')).toHaveLength(132)
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
})

test('close waits until LevelDB is back that a reader has had opened again, and closes it', async () => {
  const backend = await openBackend(temporaryDirectory())
  await grow(backend, 'a', 3)
  await failNextBatch()
  await expect(grow(backend, 'a', 1)).rejects.toMatchObject({ code: 'IO' })
  const open = Reflect.get(ClassicLevel.prototype, 'open')
  const opening = vi.spyOn(ClassicLevel.prototype, 'open').mockRejectedValue(new Error('input/output error'))
  await expect(grow(backend, 'a', 1)).rejects.toMatchObject({ code: 'IO' })
  const signals = new EventEmitter()
  opening.mockImplementation(async function (this: ClassicLevel, ...args) {
    signals.emit('opening')
    await once(signals, 'closing')
    await open.apply(this, args)
  })
  const isOpening = once(signals, 'opening')
  const reading = backend.head('unknown').catch(() => undefined)
  await isOpening
  const closing = backend.close()
  setImmediate(() => signals.emit('closing'))
  await closing
  await reading
  opening.mockRestore()
  await backend.open()
  expect(await readAll(backend, 'a')).toHaveLength(3)
})
