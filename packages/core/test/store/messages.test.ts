import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'messages'

interface Anything {
  readonly role: string
  readonly [field: string]: unknown
}

test('fields, their order and their values are kept exactly', async () => {
  const store = await openStore<Anything>(memoryBackend())
  const text =
    '{"role":"user","z":1,"a":{"__proto__":{"x":1},"constructor":2,"":0},"s":"\\ud800\\u0000\\u2028","n":[1e21,0.1,-5,null,true,[],{}]}'
  await store.addMessage(KEY, JSON.parse(text) as Anything)
  expect(JSON.stringify((await store.getHistory(KEY))[0])).toBe(JSON.stringify(JSON.parse(text)))
})

test('undefined is dropped and toJSON honoured, as JSON.stringify would', async () => {
  const store = await openStore<Anything>(memoryBackend())
  const given = {
    role: 'user',
    gone: undefined,
    at: new Date(0),
    boxed: new String('x'),
    own: { toJSON: () => ({ a: 1 }) },
    dropped: { toJSON: () => undefined },
    named: { toJSON: (key: string) => `I am ${key}` },
    placed: [{ toJSON: (key: string) => `I am ${key}` }],
    list: Object.assign([1], { toJSON: () => 'a list' }),
    once: { toJSON: () => new Replaced() },
    onceMore: { toJSON: () => ({ a: 1, toJSON: undefined }) },
    mapped: Object.assign(new Map([['a', 1]]), { toJSON: () => ({ a: 1 }) }),
    itself: new Replaced(),
  }
  await store.addMessage(KEY, given as unknown as Anything)
  expect(JSON.stringify(await store.getHistory(KEY))).toBe(JSON.stringify([given]))
  // What was counted on the way in is what is counted when the log is read.
  expect((await store.verify()).problems).toEqual([])
})

class Replaced {
  readonly a = 1
  toJSON(): unknown {
    return { b: this.a }
  }
}

test('a toJSON of the message itself gets no key, and has to give a message', async () => {
  const store = await openStore<Anything>(memoryBackend())
  await store.addMessage(KEY, { role: 'x', toJSON: (key: string) => ({ role: 'user', content: `key ${key}.` }) })
  expect(await store.getHistory(KEY)).toEqual([{ role: 'user', content: 'key .' }])
  for (const given of [null, 'text', [], {}]) {
    const refused = store.addMessage(KEY, { role: 'x', toJSON: () => given })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_MESSAGE' })
  }
})

test('what the caller does to a message afterwards changes nothing, and the message is not frozen', async () => {
  const store = await openStore<Anything>(memoryBackend())
  const given = { role: 'user', parts: [{ text: 'before' }] }
  const writing = store.addMessage(KEY, given)
  ;(given.parts[0] as { text: string }).text = 'after'
  await writing
  expect(await store.getHistory(KEY)).toEqual([{ role: 'user', parts: [{ text: 'before' }] }])
  expect(Object.isFrozen(given)).toBe(false)
})

test('a returned array is the caller’s own, its messages are shared and frozen', async () => {
  const store = await openStore<Anything>(memoryBackend())
  await store.addMessage(KEY, { role: 'user', parts: [{ text: 'x' }] })
  const history = await store.getHistory(KEY)
  history.push({ role: 'assistant' })
  const again = await store.getHistory(KEY)
  expect(again.length).toBe(1)
  expect(again[0]).toBe(history[0])
  expect(Object.isFrozen((again[0] as Anything)['parts'])).toBe(true)
  const [copy] = await store.getHistory(KEY, { copy: true })
  expect(copy).toEqual(again[0])
  expect(Object.isFrozen(copy)).toBe(false)
})

test('a message with a type and no role is a message', async () => {
  const store = await openStore<{ type: string }>(memoryBackend())
  await store.addMessage(KEY, { type: 'function_call_output' })
  expect(await store.getHistory(KEY)).toEqual([{ type: 'function_call_output' }])
})

test('a frozen object with a getter is copied, so that it cannot change later', async () => {
  const store = await openStore<Anything>(memoryBackend())
  let answer = 'first'
  const given = Object.freeze(Object.defineProperty({ role: 'user' }, 'text', { enumerable: true, get: () => answer }))
  await store.addMessage(KEY, given as Anything)
  answer = 'second'
  expect((await store.getHistory(KEY))[0]).toEqual({ role: 'user', text: 'first' })
})

interface Stored {
  readonly content?: readonly string[]
  readonly n?: number
  readonly items?: readonly number[]
}

test('what a caller has frozen is taken as it is only if nothing in it can say another thing later', async () => {
  const store = await openStore(memoryBackend())
  await store.addMessage(KEY, 'user', 'first')
  await store.getHistory(KEY)
  let asked = 0
  const content = Object.defineProperty(['x'], 0, { get: () => `answer ${++asked}`, enumerable: true })
  const hidden = Object.defineProperty({ role: 'user' }, 'later', { value: { changes: 0 } })
  const named = Object.assign(['x'], { extra: { changes: 0 } })
  await store.addMessages(KEY, [
    Object.freeze({ role: 'user', content: Object.freeze(content) }),
    Object.freeze({ role: 'user', n: -0, items: Object.freeze([-0]) }),
    Object.freeze(hidden),
    Object.freeze({ role: 'user', content: Object.freeze(named) }),
    Object.freeze({ role: 'user', [Symbol('mine')]: {} }),
  ])
  const [, computed, zeros, plain, list, symbol] = (await store.getHistory(KEY)) as unknown as Stored[]
  const [answer] = computed?.content ?? []
  expect(computed?.content?.[0]).toBe(answer)
  expect(Object.is(zeros?.n, 0)).toBe(true)
  expect(Object.is(zeros?.items?.[0], 0)).toBe(true)
  expect(Reflect.ownKeys(plain ?? {})).toEqual(['role'])
  expect(Reflect.ownKeys(list?.content ?? [])).toEqual(['0', 'length'])
  expect(Reflect.ownKeys(symbol ?? {})).toEqual(['role'])
  await store.close()
})
