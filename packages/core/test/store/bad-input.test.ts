import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'good'
// What a program without types may pass.
type Anything = never

async function storeWithHistory(): Promise<SessionStore> {
  const store = await openStore(memoryBackend())
  for (let i = 0; i < 4; i++) await store.addMessage(KEY, 'user', String(i))
  return store
}

function first(iterable: AsyncIterable<unknown>): Promise<unknown> {
  return iterable[Symbol.asyncIterator]().next()
}

async function log(store: SessionStore): Promise<string> {
  const events: unknown[] = []
  for await (const event of store.events(KEY)) events.push(event)
  return JSON.stringify(events)
}

const cycle: Record<string, unknown> = { role: 'user' }
cycle['self'] = cycle
const deep = { role: 'user', content: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as unknown }

const badMessages: readonly [name: string, message: unknown, text: RegExp][] = [
  [
    'a bigint',
    { role: 'assistant', tool_calls: [{}, {}, { function: 5n }] },
    /^message\.tool_calls\[2\]\.function: bigint cannot be stored; use a string$/,
  ],
  ['NaN', { role: 'user', content: { 'a b': NaN } }, /^message\.content\["a b"\]: NaN cannot be stored/],
  ['Infinity', { role: 'user', n: [1, -Infinity] }, /^message\.n\[1\]: -Infinity cannot be stored/],
  ['a function', { role: 'user', f: () => 1 }, /^message\.f: function cannot be stored/],
  ['a symbol', { role: 'user', s: Symbol('x') }, /^message\.s: symbol cannot be stored/],
  ['a Map', { role: 'user', m: new Map() }, /^message\.m: a Map cannot be stored/],
  ['a Set', { role: 'user', m: new Set() }, /^message\.m: a Set cannot be stored/],
  [
    'a typed array',
    { role: 'user', m: new Float32Array(2) },
    /^message\.m: binary data cannot be stored; use a base64 string/,
  ],
  ['a Buffer', { role: 'user', m: Buffer.from('x') }, /^message\.m: binary data/],
  ['an Error', { role: 'user', m: new Error('secret') }, /^message\.m: a Error cannot be stored/],
  ['a SharedArrayBuffer', { role: 'user', m: new SharedArrayBuffer(4) }, /^message\.m: binary data/],
  ['a Blob', { role: 'user', m: [new Blob(['secret'])] }, /^message\.m\[0\]: a Blob cannot be stored/],
  ['Headers', { role: 'user', m: new Headers({ a: 'secret' }) }, /^message\.m: a Headers cannot be stored/],
  ['a Map with fields', { role: 'user', m: Object.assign(new Map(), { a: 1 }) }, /^message\.m: a Map cannot be stored/],
  ['a bigint in a box', { role: 'user', m: Object(5n) as unknown }, /^message\.m: bigint cannot be stored/],
  [
    'a symbol in a box',
    { role: 'user', m: Object(Symbol('secret')) as unknown },
    /^message\.m: a Symbol cannot be stored/,
  ],
  ['a toJSON that gives a bigint', { role: 'user', m: { toJSON: () => 5n } }, /^message\.m: bigint cannot be stored/],
  ['a toJSON that gives a function', { role: 'user', m: { toJSON: () => () => 1 } }, /^message\.m: function cannot be/],
  [
    'a toJSON that gives undefined in an array',
    { role: 'user', m: [{ toJSON: () => undefined }] },
    /^message\.m\[0\]: undefined cannot be stored in an array/,
  ],
  [
    'a toJSON of the message that gives undefined',
    { role: 'user', toJSON: () => undefined },
    /^message: undefined cannot/,
  ],
  [
    'undefined in an array',
    { role: 'user', m: [undefined] },
    /^message\.m\[0\]: undefined cannot be stored in an array/,
  ],
  ['a cycle', cycle, /nested deeper than 1000 levels, or a cycle/],
  ['too deep a value', deep, /nested deeper than 1000 levels/],
  [
    'a getter that throws',
    Object.defineProperty({ role: 'user' }, 'x', {
      enumerable: true,
      get() {
        throw new Error('secret')
      },
    }),
    /^message: reading it threw an error; see cause/,
  ],
  ['null', null, /^message: a message must be an object, got null/],
  ['an array', [], /^message: a message must be an object, got an array/],
  ['no role and no type', { content: 'x' }, /needs a string "role" or a string "type"/],
]

test.each(badMessages)(
  '%s in a message is refused with its path, and nothing changes',
  async (_name, message, text) => {
    const store = await storeWithHistory()
    const before = await log(store)
    for (const attempt of [
      store.addMessage(KEY, message as Anything),
      store.addMessages(KEY, [{ role: 'user', content: 'fine' }, message as Anything]),
      store.setHistory(KEY, [message as Anything]),
      store.replaceFrom(KEY, 1, [message as Anything]),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_MESSAGE' })
    }
    const error: unknown = await store.addMessage(KEY, message as Anything).catch((reason: unknown) => reason)
    expect((error as Error).message).toMatch(text)
    expect((error as Error).message).not.toContain('secret')
    expect(await log(store)).toBe(before)
  },
)

test.each(['', 'a\nb', 'a\u0000', '\u0085', '\ud800', 'x'.repeat(513), 'é'.repeat(257), 5, null, undefined, {}])(
  'the key %j is refused by every method',
  async (key) => {
    const store = await storeWithHistory()
    const bad = key as Anything
    const iterate = async (iterable: AsyncIterable<unknown>): Promise<void> => {
      for await (const _item of iterable) break
    }
    for (const attempt of [
      store.addMessage(bad, 'user', 'x'),
      store.addMessages(bad, []),
      store.getHistory(bad),
      store.getSummary(bad),
      store.setSummary(bad, 'x'),
      store.truncateHistory(bad, 1),
      store.setHistory(bad, []),
      store.compact(bad),
      store.load(bad),
      store.summarize(bad, { summary: '', through: 1, version: 1 }),
      store.replaceFrom(bad, 1, []),
      store.restore(bad, { at: 1 }),
      store.fork(bad, 'x'),
      store.fork(KEY, bad),
      store.setMetadata(bad, {}),
      store.note(bad, 'x', 1),
      store.deleteSession(bad),
      iterate(store.events(bad)),
      iterate(store.watch(bad)),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_KEY' })
    }
  },
)

test('wrong arguments are INVALID_ARGUMENT, and nothing changes', async () => {
  const store = await storeWithHistory()
  const before = await log(store)
  const wrong = [1.5, NaN, '1', null, {}, -1, 2 ** 53] as Anything[]
  for (const value of wrong) {
    for (const attempt of [
      store.addMessage(KEY, 'user', 'x', { expectedVersion: value }),
      store.getHistory(KEY, { limit: value }),
      store.getHistory(KEY, { at: value }),
      store.replaceFrom(KEY, value, []),
      store.restore(KEY, { at: value }),
      store.summarize(KEY, { summary: 's', through: value, version: 1 }),
      store.expire({ idleForMs: value }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  }
  for (const attempt of [
    store.addMessage(KEY, 'user', 5 as Anything),
    store.addMessages(KEY, 'x' as Anything),
    store.setSummary(KEY, null as Anything),
    store.truncateHistory(KEY, 1.5),
    store.truncateHistory(KEY, null as Anything),
    store.setMetadata(KEY, [] as Anything),
    store.note(KEY, 1 as Anything, 1),
    store.addMessage(KEY, 'user', 'x', { operationId: '' }),
    store.addMessage(KEY, 'user', 'x', { operationId: 'x'.repeat(300) }),
    store.getHistory(KEY, { at: 99 }),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
  expect(await log(store)).toBe(before)
})

test('arguments that are left out or null are INVALID_ARGUMENT, and so is metadata that is no plain object', async () => {
  const store = await storeWithHistory()
  const before = await log(store)
  const iterate = async (iterable: AsyncIterable<unknown>): Promise<void> => {
    for await (const _item of iterable) break
  }
  for (const nothing of [undefined, null, 5, 'text'] as Anything[]) {
    for (const attempt of [
      store.summarize(KEY, nothing),
      store.restore(KEY, nothing),
      store.expire(nothing),
      store.setMetadata(KEY, nothing),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  }
  for (const options of [null, 'text'] as Anything[]) {
    for (const attempt of [
      store.addMessage(KEY, { role: 'user' }, options),
      store.addMessages(KEY, [], options),
      store.truncateHistory(KEY, 1, options),
      store.deleteSession(KEY, options),
      store.fork(KEY, 'other', options),
      store.getHistory(KEY, options),
      iterate(store.events(KEY, options)),
      iterate(store.watch(KEY, options)),
      iterate(store.listSessions(options)),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  }
  class Settings {
    readonly theme = 'dark'
  }
  for (const metadata of [new Date(), new Map([['a', 1]]), new Settings(), ['a']] as Anything[]) {
    await expect(store.setMetadata(KEY, metadata)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
  expect(await log(store)).toBe(before)
  await store.setMetadata(KEY, Object.assign(Object.create(null) as object, { a: 1 }))
  expect((await store.load(KEY)).metadata).toEqual({ a: 1 })
})

test('a flag that is neither true nor false is INVALID_ARGUMENT: as false it would do another thing than was asked for', async () => {
  const store = await storeWithHistory()
  const before = await log(store)
  for (const value of ['true', 1, null, {}] as Anything[]) {
    for (const attempt of [
      store.deleteSession(KEY, { erase: value }),
      store.truncateHistory(KEY, 1, { exact: value }),
      store.getHistory(KEY, { exact: value }),
      store.getHistory(KEY, { repair: value }),
      store.getHistory(KEY, { copy: value }),
      first(store.events(KEY, { reverse: value })),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  }
  expect(await log(store)).toBe(before)
})

test('an option that there is not is INVALID_ARGUMENT, with the one that was probably meant', async () => {
  const store = await storeWithHistory()
  const before = await log(store)
  const typos: readonly [Promise<unknown>, string][] = [
    [store.addMessage(KEY, 'user', 'x', { expectedVersoin: 99 } as Anything), 'expectedVersion'],
    [store.addMessage(KEY, { role: 'user' }, { operationID: 'x' } as Anything), 'operationId'],
    [store.truncateHistory(KEY, 1, { exacct: true } as Anything), 'exact'],
    [store.deleteSession(KEY, { errase: true } as Anything), 'erase'],
    [store.getHistory(KEY, { limits: 1 } as Anything), 'limit'],
    [store.expire({ idleForMs: 1, prefxi: 'x' } as Anything), 'prefix'],
    [first(store.listSessions({ prefx: 'x' } as Anything)), 'prefix'],
    [first(store.events(KEY, { revers: true } as Anything)), 'reverse'],
    [first(store.watch(KEY, { singal: undefined } as Anything)), 'signal'],
  ]
  for (const [attempt, meant] of typos) {
    const error: unknown = await attempt.catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect((error as Error).message).toContain(`Did you mean "${meant}"?`)
  }
  await expect(store.addMessage(KEY, 'user', 'x', { requestId: 'mine' } as Anything)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'options has "requestId". Known here: unfinished, expectedVersion, operationId.',
  })
  await expect(store.deleteSession(KEY, { operationId: 'a' } as Anything)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  })
  expect(await log(store)).toBe(before)
})

test('half of a surrogate pair to list by, and a signal that is none, are INVALID_ARGUMENT', async () => {
  const store = await storeWithHistory()
  const half = '\u{1F600}'.slice(0, 1)
  for (const attempt of [
    first(store.listSessions({ prefix: half })),
    first(store.listSessions({ after: half, limit: 1 })),
    store.expire({ idleForMs: 0, prefix: half }),
    first(store.watch(KEY, { signal: {} as Anything })),
    first(store.watch(KEY, { signal: null as Anything })),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
})

test('messages with a hole, or with a getter that throws while they are compared, are refused as messages', async () => {
  const store = await storeWithHistory()
  const message = { role: 'user', content: '0' }
  // oxlint-disable-next-line no-sparse-arrays -- the hole is what this is about
  const sparse = [message, , message] as Anything
  const throwing = Object.defineProperty({ ...message }, 'content', {
    enumerable: true,
    get() {
      throw new Error('secret')
    },
  })
  await store.getHistory(KEY)
  for (const attempt of [store.addMessages(KEY, sparse), store.setHistory(KEY, sparse)]) {
    await expect(attempt).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
      message: expect.stringMatching(/^messages\[1\]/) as string,
    })
  }
  await expect(store.setHistory(KEY, [throwing as Anything])).rejects.toMatchObject({
    code: 'INVALID_MESSAGE',
    message: expect.not.stringContaining('secret') as string,
  })
})

test('options belong to the moment of the call, whatever becomes of the object', async () => {
  const store = await storeWithHistory()
  const options = { limit: 2 }
  const reading = store.getHistory(KEY, options)
  options.limit = 3
  expect(await reading).toHaveLength(2)
  const target = { at: 2 }
  const forking = store.fork(KEY, 'forked', target)
  target.at = 4
  await forking
  expect(await store.getHistory('forked')).toHaveLength(2)
})

test('an error names the kind of a wrong argument, not what it says', async () => {
  const store = await storeWithHistory()
  const wrong = 'MY SECRET' as Anything
  for (const attempt of [
    store.getHistory(KEY, { at: wrong }),
    store.restore(KEY, { at: wrong }),
    store.fork(KEY, 'other', { at: wrong }),
  ]) {
    await expect(attempt).rejects.toThrow(/^at must be a whole number, 0 or more, got a string\.$/)
  }
})

test('a message above the limit is TOO_LARGE', async () => {
  const store = await openStore({ backend: memoryBackend(), limits: { maxMessageBytes: 100 } })
  await expect(store.addMessage(KEY, 'user', 'x'.repeat(200))).rejects.toMatchObject({ code: 'TOO_LARGE' })
  expect(await store.getHistory(KEY)).toEqual([])
})

test('metadata above 4 KB is TOO_LARGE', async () => {
  const store = await storeWithHistory()
  await expect(store.setMetadata(KEY, { a: 'x'.repeat(5000) })).rejects.toMatchObject({ code: 'TOO_LARGE' })
})

test('every method of a closed store rejects with CLOSED, and close may be called again', async () => {
  const store = await storeWithHistory()
  await store.close()
  await store.close()
  for (const attempt of [
    store.addMessage(KEY, 'user', 'x'),
    store.getHistory(KEY),
    store.load(KEY),
    store.stats(),
    store.verify(),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'CLOSED' })
  }
})
