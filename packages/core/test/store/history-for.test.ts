import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { openStore, type HistoryApi, type SessionStore } from '../../src/index.ts'
import { memoryBackend } from '../../src/memory/memory-backend.ts'

const user = (content: string) => ({ role: 'user', content })
const say = (content: string) => ({ role: 'assistant', content })
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `found ${id}` })

let store: SessionStore<object>
beforeEach(async () => {
  store = await openStore<object>(memoryBackend())
})
afterEach(() => store.close())

describe('a history made for an API', () => {
  test('has a late result at its call, and says what each message stands for', async () => {
    await store.addMessages('a', [user('1'), call('x'), user('2')])
    expect((await store.getHistory('a', { for: 'openai-chat' })).length).toBe(4)
    await store.addMessages('a', [result('x'), say('3')])
    const view = await store.load('a', { for: 'openai-chat' })
    expect(view.messages).toEqual([user('1'), call('x'), result('x'), user('2'), say('3')])
    expect(view.positions).toEqual([1, 2, 4, 3, 5])
    expect(view.sources).toEqual([[1], [2], [4], [3], [5]])
    expect(view.through).toEqual([1, 2, 2, 4, 5])
    expect((await store.load('a')).messages).toEqual([user('1'), call('x'), user('2'), result('x'), say('3')])
  })

  test('is made after the limit, begins as the API wants it, and a made message stands for none', async () => {
    await store.addMessages('a', [user('1'), say('2'), user('3'), say('4')])
    const view = await store.load('a', { for: 'bedrock', limit: 1 })
    expect(view.messages.map((message) => (message as { role: string }).role)).toEqual(['user', 'assistant'])
    expect(view.sources).toEqual([[], [4]])
    // Nobody saw what lies before the limit, so no summary of these covers it.
    expect(view.through).toEqual([0, 0])
  })

  test('is what the store gives by default if its configuration says so', async () => {
    const own = await openStore<object>({ backend: memoryBackend(), for: 'mistral' })
    await own.addMessages('a', [user('1'), call('x'), result('x'), user('2')])
    for (const messages of [await own.getHistory('a'), (await own.load('a')).messages]) {
      expect(messages).toHaveLength(5)
      expect(messages[3]).toMatchObject({ role: 'assistant' })
    }
    expect(await own.getHistory('a', { for: 'openai-chat' })).toHaveLength(4)
    await own.close()
  })

  test('that is fine already is the very messages of the store, frozen and unchanged', async () => {
    await store.addMessages('a', [user('1'), call('x'), result('x'), say('2')])
    const plain = await store.getHistory('a')
    const made = await store.getHistory('a', { for: 'anthropic' })
    for (const [at, message] of made.entries()) expect(message).toBe(plain[at])
    const copy = await store.getHistory('a', { for: 'anthropic', copy: true })
    expect(Object.isFrozen(copy[0])).toBe(false)
  })

  test('is refused for an unknown name, with the nearest known one', async () => {
    const wrong = 'antropic' as HistoryApi
    await expect(store.getHistory('a', { for: wrong })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(store.load('a', { for: wrong })).rejects.toThrow('Did you mean "anthropic"?')
    await expect(openStore({ backend: memoryBackend(), for: wrong })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  })
})

test('through never makes summarize remove a user message that nobody summarised', async () => {
  let seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
  console.log(`through: SEED=${seed}`)
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  for (let life = 0; life < 100; life++) {
    const key = `life-${life}`
    const open: string[] = []
    for (let step = 0; step < 20; step++) {
      const kind = random(5)
      if (kind === 0) {
        open.push(`${life}-${step}`)
        await store.addMessage(key, call(`${life}-${step}`))
      } else if (kind === 1 && open.length > 0) {
        await store.addMessage(key, result(open.splice(random(open.length), 1)[0] ?? ''))
      } else await store.addMessage(key, kind === 2 ? say(`said ${step}`) : user(`user ${step}.`))
    }
    const view = await store.load(key, { for: (['openai-chat', 'mistral', 'bedrock'] as const)[life % 3] ?? 'cohere' })
    const upTo = random(view.messages.length)
    const through = view.through?.[upTo] ?? 0
    const told = JSON.stringify(view.messages.slice(0, upTo + 1))
    const before = await store.load(key)
    if (through === 0) continue
    await store.summarize(key, { summary: told, through, version: view.version }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' })
    })
    const left = JSON.stringify(await store.getHistory(key))
    for (const message of before.messages as { role: string; content: string }[]) {
      if (message.role === 'user' && !left.includes(message.content)) expect(told).toContain(message.content)
    }
  }
})
