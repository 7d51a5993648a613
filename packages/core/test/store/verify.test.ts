import { openStore } from '@turnlog/core'
import type { Backend, Json } from '@turnlog/core/backend'
import { expect, test } from 'vitest'
import { backendWith } from './faulty-backend.ts'

/** Stores `projection` in place of what the log amounts to. */
function projecting(projection: Json): Backend {
  return backendWith((inner) => ({
    append: (session, expected, events, _projection, options) =>
      inner.append(session, expected, events, projection, options),
  }))
}

test('a projection that is missing, as after a repair of the log, is no problem', async () => {
  const store = await openStore(projecting(null))
  await store.addMessage('s', 'user', 'Hello')
  expect(await store.verify()).toEqual({ ok: true, sessions: 1, events: 1, problems: [] })
  expect(await store.verify('s')).toMatchObject({ ok: true })
})

test.each([
  ['of something else', { p: 1 }],
  ['that is none', 'x'],
])('a projection %s is one', async (_what, stored) => {
  const store = await openStore(projecting(stored))
  await store.addMessage('s', 'user', 'Hello')
  expect(await store.verify()).toMatchObject({
    ok: false,
    problems: [{ session: 's', message: expect.stringContaining('The stored projection is not what') }],
  })
})
