import { expect, test } from 'vitest'
import { planImport } from '../../src/migrate/plan-import.ts'
import { Draft } from '../../src/plan/draft.ts'
import { emptyState } from '../../src/view/session-state.ts'

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
const message = (at: number | undefined) => ({ message: { role: 'user' }, bytes: 20, at })

function timesOf(legacy: Parameters<typeof planImport>[1]): number[] {
  const draft = new Draft<object>(emptyState(), 5000)
  planImport(draft, legacy, 1000)
  expect(draft.now, 'the time of other operations in the same append').toBe(5000)
  expect([draft.state.createdAt, draft.state.updatedAt]).toEqual([100, 900])
  return draft.events.map(({ at }) => at)
}

test('messages without a time take that of the one before, and the last one that of the last change', () => {
  const messages = [message(undefined), message(300), message(undefined), message(undefined)]
  expect(timesOf({ ...session, messages })).toEqual([100, 100, 300, 300, 900])
})

test('a last message with a time of its own keeps it, and a note carries the last change', () => {
  expect(timesOf({ ...session, messages: [message(undefined), message(400)] })).toEqual([100, 100, 400, 900])
})

test('what follows the messages carries the last change', () => {
  const messages = [message(undefined), message(undefined)]
  expect(timesOf({ ...session, messages, summary: 's' })).toEqual([100, 100, 100, 900])
  expect(timesOf({ ...session, messages, truncated: 1 })).toEqual([100, 100, 100, 900])
})
