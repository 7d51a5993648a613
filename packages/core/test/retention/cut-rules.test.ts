import type { LimitRules } from '@turnlog/core'
import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

interface Turn {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: readonly object[]
  readonly tool_call_id?: string
}

const KEY = 'agent:1'

const open = (limits: LimitRules = {}) => openStore<Turn>({ backend: memoryBackend(), limits })
const user = (content: string): Turn => ({ role: 'user', content })
const said = (content: string): Turn => ({ role: 'assistant', content })
const call = (id: string): Turn => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
})
const result = (id: string): Turn => ({ role: 'tool', tool_call_id: id, content: 'ok' })

test('what a limit leaves begins with a user, within the limit, in every turn of a chat', async () => {
  const store = await open({ maxMessages: 9 })
  for (let turn = 0; turn < 30; turn++) {
    await store.addMessage(KEY, user(`q${turn}`))
    await store.addMessage(KEY, said(`a${turn}`))
    const messages = await store.getHistory(KEY)
    expect(messages[0]?.role).toBe('user')
    expect(messages.length).toBeLessThanOrEqual(9)
  }
})

test('a long run without a user stays within the limit and splits no pair; a pending call is never cut', async () => {
  const store = await open({ maxMessages: 20 })
  await store.addMessage(KEY, user('go'))
  for (let step = 0; step < 60; step++) {
    await store.addMessages(KEY, [call(`c${step}`), result(`c${step}`)])
    const messages = await store.getHistory(KEY)
    expect(messages.length).toBeLessThanOrEqual(20)
    expect(messages[0]?.role).not.toBe('tool')
  }
  await store.addMessage(KEY, call('pending'))
  for (let i = 0; i < 40; i++) await store.addMessage(KEY, { role: 'system', content: String(i) })
  expect(await store.getHistory(KEY)).toContainEqual(call('pending'))
})

test('a lost result does not hold up cuts: the model went on without it', async () => {
  const store = await open({ maxMessages: 20 })
  await store.addMessages(KEY, [user('go'), call('early'), result('early'), call('lost')])
  for (let step = 0; step < 200; step++) await store.addMessages(KEY, [call(`c${step}`), result(`c${step}`)])
  expect((await store.getHistory(KEY)).length).toBeLessThanOrEqual(21)
  expect(await store.truncateHistory(KEY, 4)).toMatchObject({ kept: 4 })
})

test('system messages at the beginning survive what the store cuts, and count', async () => {
  const store = await open({ maxMessages: 6 })
  await store.addMessages(KEY, [
    { role: 'system', content: 's' },
    { role: 'developer', content: 'd' },
  ])
  for (let turn = 0; turn < 20; turn++) await store.addMessages(KEY, [user('q'), said('a')])
  const roles = (await store.getHistory(KEY)).map(({ role }) => role)
  expect(roles.slice(0, 3)).toEqual(['system', 'developer', 'user'])
  expect(roles.length).toBeLessThanOrEqual(6)
})

test('who names a number gets it, unless the call asks for a user or pins', async () => {
  const store = await open()
  await store.addMessages(KEY, [{ role: 'system', content: 's' }, user('1'), said('2'), user('3'), said('4')])
  const contents = async (options: object): Promise<unknown> =>
    (await store.getHistory(KEY, options)).map(({ content }) => content)
  expect(await contents({ limit: 3 })).toEqual(['2', '3', '4'])
  expect(await contents({ limit: 3, startOn: 'user' })).toEqual(['3', '4'])
  expect(await contents({ limit: 3, pin: 'system' })).toEqual(['s', '3', '4'])
  expect(await contents({ limit: 3, pin: 'system', exact: true })).toEqual(['2', '3', '4'])
  expect(await contents({ limit: 1, startOn: 'user' })).toEqual(['4'])
  const view = await store.load(KEY, { limit: 3, pin: 'system' })
  expect(view.positions).toEqual([1, 4, 5])
  expect(await store.truncateHistory(KEY, 4, { startOn: 'user', pin: 'system' })).toMatchObject({ kept: 3 })
  expect(await contents({})).toEqual(['s', '3', '4'])
  expect(await store.truncateHistory(KEY, 0, { pin: 'system' })).toMatchObject({ kept: 0 })
  await expect(store.getHistory(KEY, { startOn: 'model' as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('a limit in tokens counts with the given function, or by an estimate', async () => {
  const counted = await open({ maxTokens: 10, tokens: (message: never) => (message as Turn).content?.length ?? 0 })
  for (let i = 0; i < 20; i++) await counted.addMessage(KEY, user('abc'))
  expect((await counted.getHistory(KEY)).length).toBeLessThanOrEqual(3)
  const estimated = await open({ maxTokens: 100 })
  for (let i = 0; i < 20; i++) await estimated.addMessage(KEY, user('x'.repeat(100)))
  expect((await estimated.getHistory(KEY)).length).toBeLessThanOrEqual(3)
})

test('onOverflow without a limit, or with a hard limit that leaves no room, is INVALID_CONFIG', async () => {
  const onOverflow = async (): Promise<string> => 's'
  const wrong = [
    { onOverflow },
    { onOverflow, limits: { maxMessageBytes: 5 } },
    { onOverflow, limits: { maxSessionBytes: 100, hardMaxSessionBytes: 100 } },
    { limits: { hardMaxSessionBytes: 100 } },
    { limits: { startOn: 'model' as never } },
  ]
  for (const config of wrong) {
    await expect(openStore({ backend: 'memory', ...config })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  }
})

test('a view that no summariser shortens is cut at the hard limit in bytes', async () => {
  const store = await openStore<Turn>({
    backend: memoryBackend(),
    limits: { maxSessionBytes: 1000, hardMaxSessionBytes: 2000 },
    onOverflow: () => Promise.reject(new Error('no model')),
    onWarning: () => undefined,
  })
  for (let i = 0; i < 60; i++) await store.addMessage(KEY, user('x'.repeat(100)))
  expect(JSON.stringify(await store.getHistory(KEY)).length).toBeLessThan(2200)
})

test('onOverflow is asked for what is cut, behind what is pinned', async () => {
  const asked: (readonly Turn[])[] = []
  const store = await openStore<Turn>({
    backend: memoryBackend(),
    limits: { maxMessages: 6 },
    onOverflow: async ({ messages }) => {
      asked.push(messages)
      return 'summary'
    },
  })
  await store.addMessages(KEY, [{ role: 'system', content: 's' }])
  for (let turn = 0; turn < 3; turn++) await store.addMessages(KEY, [user(`q${turn}`), said(`a${turn}`)])
  await expect.poll(async () => (await store.load(KEY)).summary).toBe('summary')
  const [first] = asked
  expect(first?.[0]).toEqual(user('q0'))
  expect((await store.getHistory(KEY))[0]).toMatchObject({ role: 'system' })
  expect((await store.getHistory(KEY))[1]).toMatchObject({ role: 'user' })
})
