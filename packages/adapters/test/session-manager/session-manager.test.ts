import { isStoreError, openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { createSessionManager } from '@turnlog/adapters/session-manager'
import type { FailedOperation } from '@turnlog/adapters/session-manager'
import { expect, test, vi } from 'vitest'

test('writes need not be awaited: they happen in order, and a read sees them all', async () => {
  await using sessions = createSessionManager(await openStore('memory:'))
  for (let i = 0; i < 50; i++) void sessions.addMessage('a', 'user', `${i}`)
  void sessions.addFullMessage('a', { role: 'assistant', content: 'last', model_name: 'm' })
  void sessions.setSummary('a', 'first')
  void sessions.setSummary('a', 'second')
  expect((await sessions.getHistory('a')).map(({ content }) => content)).toEqual([
    ...Array.from({ length: 50 }, (_, i) => `${i}`),
    'last',
  ])
  expect(await sessions.getSummary('a')).toBe('second')
  void sessions.truncateHistory('a', 10)
  void sessions.setHistory('b', [{ role: 'user', content: 'b' }])
  expect(await sessions.listSessions()).toEqual(['a', 'b'])
  expect(await sessions.getHistory('a')).toHaveLength(10)
})

test('save compacts what was truncated just before, without waiting in between', async () => {
  const store = await openStore('memory:')
  await using sessions = createSessionManager(store)
  for (let i = 0; i < 20; i++) void sessions.addMessage('a', 'user', `${i}`)
  void sessions.setSummary('a', 'the first sixteen')
  void sessions.truncateHistory('a', 4)
  await sessions.save('a')
  let events = 0
  for await (const _ of store.events('a')) events++
  expect(events).toBeLessThan(20)
  expect(await sessions.getHistory('a')).toHaveLength(4)
  expect(await sessions.getSummary('a')).toBe('the first sixteen')
})

test('failures go to onError, reads answer with empty defaults, and only save and close reject', async () => {
  const failures: [unknown, FailedOperation][] = []
  const store = await openStore('memory:')
  const sessions = createSessionManager(store, { onError: (error, failed) => failures.push([error, failed]) })
  await sessions.addMessage('', 'user', 'x')
  await sessions.close()
  await sessions.addMessage('a', 'user', 'x')
  await sessions.addFullMessage('a', { role: 'user' })
  await sessions.setSummary('a', 'x')
  await sessions.setHistory('a', [])
  await sessions.truncateHistory('a', 1)
  expect(await sessions.getHistory('a')).toEqual([])
  expect(await sessions.getSummary('a')).toBe('')
  expect(await sessions.listSessions()).toEqual([])
  expect(failures.map(([error, { operation }]) => [isStoreError(error) && error.code, operation])).toEqual([
    ['INVALID_KEY', 'addMessage'],
    ['CLOSED', 'addMessage'],
    ['CLOSED', 'addFullMessage'],
    ['CLOSED', 'setSummary'],
    ['CLOSED', 'setHistory'],
    ['CLOSED', 'truncateHistory'],
    ['CLOSED', 'getHistory'],
    ['CLOSED', 'getSummary'],
    ['CLOSED', 'listSessions'],
  ])
  await expect(sessions.save('a')).rejects.toMatchObject({ code: 'CLOSED' })
})

test('save rejects when compacting fails', async () => {
  const backend = memoryBackend()
  await using sessions = createSessionManager(await openStore(backend))
  for (let i = 0; i < 20; i++) void sessions.addMessage('a', 'user', `${i}`)
  await sessions.truncateHistory('a', 1)
  const append = vi.spyOn(backend, 'append').mockRejectedValue(new Error('no space left'))
  await expect(sessions.save('a')).rejects.toMatchObject({ code: 'IO' })
  append.mockRestore()
  await expect(sessions.save('a')).resolves.toBeUndefined()
})

test('without onError a failure is one line on stderr, with the code and without contents', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  try {
    const backend = memoryBackend()
    const sessions = createSessionManager(await openStore(backend))
    vi.spyOn(backend, 'append').mockRejectedValue(new Error('SECRET\nSECRET'))
    await sessions.addMessage('a', 'user', 'SECRET')
    const throwing = createSessionManager(await openStore(backend), {
      onError: () => {
        throw new TypeError('SECRET')
      },
    })
    await throwing.addMessage('a', 'user', 'SECRET')
    await sessions.close()
    const lines = print.mock.calls.map(([line]) => String(line))
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^\[turnlog IO\] addMessage of session "a" failed: /)
    expect(lines[2]).toBe('[turnlog TypeError] addMessage of session "a" failed.')
    for (const line of lines) {
      expect(line).not.toContain('SECRET')
      expect(line).not.toContain('\n')
    }
  } finally {
    print.mockRestore()
  }
})

test('close waits for writes that nobody waited for', async () => {
  const backend = memoryBackend()
  const appended: number[] = []
  const append = backend.append.bind(backend)
  vi.spyOn(backend, 'append').mockImplementation(async (session, expected, events, projection, options) => {
    await new Promise((resolve) => setImmediate(resolve))
    await append(session, expected, events, projection, options)
    appended.push(events.length)
  })
  const sessions = createSessionManager(await openStore(backend))
  for (let i = 0; i < 5; i++) void sessions.addMessage('a', 'user', `${i}`)
  await sessions.close()
  expect(appended.reduce((sum, count) => sum + count, 0)).toBe(5)
  await sessions.close()
})
