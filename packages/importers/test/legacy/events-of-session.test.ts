import { openStore } from '@turnlog/core'
import { expect, test } from 'vitest'
import { eventsOfSession } from '../../src/legacy/events-of-session.ts'

const session = {
  key: 'a',
  truncated: 0,
  summary: '',
  metadata: {},
  createdAt: 100,
  updatedAt: 900,
  origin: { format: 'json', file: 'a.json' },
  badLines: [],
}
const message = (at: number | undefined) => ({ message: { role: 'user' }, at, source: 'a.json' })

async function timesOf(legacy: Parameters<typeof eventsOfSession>[0]): Promise<number[]> {
  await using store = await openStore('memory:')
  await store.importEvents('a', eventsOfSession(legacy), { operationId: 'import' })
  const { createdAt, updatedAt } = await store.load('a')
  expect([createdAt, updatedAt]).toEqual([100, 900])
  const times: number[] = []
  for await (const { at } of store.events('a')) times.push(at)
  return times
}

test('messages without a time take that of the one before, and the last one that of the last change', async () => {
  const messages = [message(undefined), message(300), message(undefined), message(undefined)]
  expect(await timesOf({ ...session, messages })).toEqual([100, 100, 300, 300, 900])
})

test('a last message with a time of its own keeps it, and a note carries the last change', async () => {
  expect(await timesOf({ ...session, messages: [message(undefined), message(400)] })).toEqual([100, 100, 400, 900])
})

test('what follows the messages carries the last change', async () => {
  const messages = [message(undefined), message(undefined)]
  expect(await timesOf({ ...session, messages, summary: 's' })).toEqual([100, 100, 100, 900])
  expect(await timesOf({ ...session, messages, truncated: 1 })).toEqual([100, 100, 100, 900])
})
