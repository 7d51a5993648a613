import { expect, test } from 'vitest'

import { event, grow, openBackend, temporaryDirectory } from './sample-store.ts'

test('verify finds nothing wrong while sessions grow, are erased and are made anew', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  const extra = { pad: 'x'.repeat(300) }
  const sessions = Array.from({ length: 600 }, (_, index) => `s${String(index).padStart(3, '0')}`)
  await Promise.all(sessions.map((session) => grow(backend, session, 3, { extra })))
  const verified = new AbortController()
  const growing = (async () => {
    const all = sessions.slice(0, 500)
    while (!verified.signal.aborted) await Promise.all(all.map((session) => grow(backend, session, 1)))
  })()
  let erased = 0
  const erasing = (async () => {
    for (; !verified.signal.aborted; erased++) {
      const session = sessions[500 + (erased % 100)] ?? ''
      await backend.erase(session, (await backend.head(session))?.last ?? 0)
      await grow(backend, session, 2, { extra })
    }
  })()
  try {
    for (let rounds = 0; rounds < 3;) {
      const before = erased
      const report = await backend.maintenance?.verify()
      expect(report?.problems).toEqual([])
      expect(report?.sessions).toBeGreaterThanOrEqual(599)
      if (erased > before) rounds++
    }
  } finally {
    verified.abort()
    await Promise.all([growing, erasing])
  }
  expect(await backend.maintenance?.verify()).toMatchObject({ sessions: 600, problems: [] })
})

test('verify does not miss a session that is erased after its events were read and before its head was', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  const name = (index: number): string => `s${String(index).padStart(4, '0')}`
  // Heads that are much larger than events: the two are not read at the same time.
  const projection = { large: 'x'.repeat(4000) }
  const expected = { last: 0, incarnation: 'life' }
  const all = Array.from({ length: 1500 }, (_, index) => name(index))
  await Promise.all(all.map((session) => backend.append(session, expected, [event(1)], projection)))
  for (let round = 0; round < 12; round++) {
    let erasing: Promise<void> | undefined
    const onProgress = (done: number): void => {
      if (done === 100) erasing ??= backend.erase(name(300 + 47 * round), 1)
    }
    const report = await backend.maintenance?.verify({ onProgress })
    await erasing
    expect(report?.problems).toEqual([])
  }
})
