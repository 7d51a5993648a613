import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'web:mia'

test('a message that is replaced leaves what came after it, and its old position is CONFLICT', async () => {
  const store = await openStore(memoryBackend())
  await store.addMessage(KEY, 'user', 'Hello?')
  const added = await store.addMessage(KEY, 'assistant', 'Hel', { unfinished: true })
  const [old] = added.positions as [number]
  await store.addMessage(KEY, 'user', 'And another thing')
  const { positions, prefix } = await store.replaceMessage(KEY, old, { role: 'assistant', content: 'Hello!' })
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['Hello?', 'Hello!', 'And another thing'])
  expect((await store.load(KEY)).positions[1]).toBe(positions[0])
  expect(prefix).toMatchObject({ kept: { messages: 1 }, lost: { messages: 2 } })
  await expect(store.replaceMessage(KEY, old, { role: 'user', content: 'x' })).rejects.toMatchObject({
    code: 'CONFLICT',
  })
})

test('unfinished messages are told until one without the mark takes their place, through cuts, compaction and a cold load', async () => {
  const backend = memoryBackend()
  const store = await openStore(backend)
  await store.addMessages(
    KEY,
    ['a', 'b', 'c'].map((content) => ({ role: 'user', content })),
  )
  let [position] = (await store.addMessage(KEY, 'assistant', '1', { unfinished: true })).positions as [number]
  const save = async (content: string, unfinished: boolean): Promise<void> => {
    const { positions } = await store.replaceMessage(KEY, position, { role: 'assistant', content }, { unfinished })
    position = positions[0] as number
  }
  await save('1 2', true)
  await store.addMessage(KEY, 'user', 'meanwhile')
  await save('1 2 3', true)
  const unfinished = async (): Promise<unknown[]> => {
    const warm = await store.load(KEY)
    const cold = await (await openStore(backend)).load(KEY)
    expect(cold).toEqual(warm)
    return warm.unfinished.map((own) => warm.messages[warm.positions.indexOf(own)]?.content)
  }
  expect(await unfinished()).toEqual(['1 2 3'])
  await store.truncateHistory(KEY, 2)
  await store.compact(KEY)
  expect(await unfinished()).toEqual(['1 2 3'])
  expect(JSON.stringify(await store.getHistory(KEY))).not.toContain('unfinished')
  await save('1 2 3 4', false)
  expect(await unfinished()).toEqual([])
})

test('a summary in flight is applied although what streams behind it is saved again and again', async () => {
  const store = await openStore(memoryBackend())
  for (let i = 0; i < 6; i++) await store.addMessage(KEY, i % 2 === 0 ? 'user' : 'assistant', String(i))
  let [position] = (await store.addMessage(KEY, 'assistant', '', { unfinished: true })).positions as [number]
  const { version, positions } = await store.load(KEY)
  const through = positions[3] as number
  for (const content of ['a', 'ab', 'abc']) {
    const saved = await store.replaceMessage(KEY, position, { role: 'assistant', content }, { unfinished: true })
    position = saved.positions[0] as number
  }
  expect(await store.summarize(KEY, { summary: 's', through, version })).toMatchObject({ removed: 4 })
  expect((await store.getHistory(KEY)).map(({ content }) => content)).toEqual(['4', '5', 'abc'])
})

test('a summary is refused if a message that it covers was replaced, or another summary came', async () => {
  const store = await openStore(memoryBackend())
  for (let i = 0; i < 6; i++) await store.addMessage(KEY, 'user', String(i))
  const { version, positions } = await store.load(KEY)
  await store.replaceMessage(KEY, 2, { role: 'user', content: 'edited' })
  const covering = { summary: 's', through: positions[2] as number, version }
  await expect(store.summarize(KEY, covering)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await store.summarize(KEY, { ...covering, through: 1 })).toMatchObject({ removed: 1 })
  const now = await store.load(KEY)
  await store.setSummary(KEY, 'another')
  await expect(
    store.summarize(KEY, { summary: 's', through: now.positions[0] as number, version: now.version }),
  ).rejects.toMatchObject({ code: 'CONFLICT' })
  await store.truncateHistory(KEY, 2)
  await store.compact(KEY)
  await expect(store.summarize(KEY, { summary: 's', through: 5, version: now.version })).rejects.toMatchObject({
    code: 'CONFLICT',
  })
})
