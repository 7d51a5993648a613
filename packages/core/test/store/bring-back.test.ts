import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'chat:1'

test('a history that brings back what was cut names it by runs and copies nothing', async () => {
  const backend = memoryBackend()
  const store = await openStore(backend)
  const history = Array.from({ length: 500 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `${i} ${'x'.repeat(1000)}`,
  }))
  await store.addMessages(KEY, history)
  const size = async (): Promise<number> => (await backend.head(KEY))?.bytes ?? 0
  const before = await size()
  for (let turn = 0; turn < 5; turn++) {
    const { positions, version } = await store.load(KEY)
    await store.summarize(KEY, { summary: `s${turn}`, through: positions[399] as number, version })
    history.push({ role: 'user', content: `new ${turn}` })
    await store.setHistory(KEY, history)
    expect(await store.getHistory(KEY)).toEqual(history)
    expect(await (await openStore(backend)).getHistory(KEY)).toEqual(history)
  }
  expect((await size()) - before).toBeLessThan(20_000)
  expect((await store.verify()).problems).toEqual([])
})

test('equal messages come back once each, in any order, and a view that was emptied as well', async () => {
  const store = await openStore(memoryBackend())
  const say = (content: string) => ({ role: 'user', content })
  await store.addMessages(KEY, ['same', 'a', 'same', 'b'].map(say))
  await store.truncateHistory(KEY, 0)
  const wanted = ['b', 'same', 'same', 'same', 'a', 'new'].map(say)
  const { positions } = await store.setHistory(KEY, wanted)
  expect(await store.getHistory(KEY)).toEqual(wanted)
  expect(positions).toHaveLength(2)
  await store.truncateHistory(KEY, 1)
  await store.compact(KEY)
  await store.setHistory(KEY, wanted)
  expect(await store.getHistory(KEY)).toEqual(wanted)
  expect((await store.verify()).problems).toEqual([])
})
