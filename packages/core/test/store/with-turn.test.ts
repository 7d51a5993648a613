import type { SessionTurn } from '@turnlog/core'
import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'telegram:1'

/** Node 20 has no `Promise.withResolvers`. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}

test('turns of one session run one after the other, those of others beside them', async () => {
  const store = await openStore(memoryBackend())
  const running = new Set<string>()
  const turn = (key: string, name: string) =>
    store.withTurn(key, async (session) => {
      expect(running.has(key)).toBe(false)
      running.add(key)
      await session.addMessage('user', name)
      await session.addMessage('assistant', `re: ${name}`)
      running.delete(key)
      return name
    })
  expect(await Promise.all([turn(KEY, 'a'), turn(KEY, 'b'), turn('other', 'x'), turn(KEY, 'c')])).toEqual([
    'a',
    'b',
    'x',
    'c',
  ])
  const contents = (await store.getHistory(KEY)).map(({ content }) => content)
  expect(contents).toEqual(['a', 're: a', 'b', 're: b', 'c', 're: c'])
})

test('a turn that fails makes room for the next, and its object writes no more', async () => {
  const store = await openStore(memoryBackend())
  let kept: SessionTurn | undefined
  const failed = store.withTurn(KEY, (turn) => {
    kept = turn
    throw new Error('mine')
  })
  await expect(failed).rejects.toThrow('mine')
  await expect(kept?.addMessage('user', 'late')).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await store.withTurn(KEY, (turn) => turn.load())).toMatchObject({ version: 0 })
})

test('waiting ends with LOCKED, with the signal or when the store closes; writes outside are not held up', async () => {
  const store = await openStore(memoryBackend())
  const begun = withResolvers<AbortSignal>()
  const hold = withResolvers<undefined>()
  const holder = store.withTurn(KEY, ({ signal }) => {
    begun.resolve(signal)
    return hold.promise
  })
  const signal = await begun.promise
  await store.addMessage(KEY, 'user', 'outside')
  await expect(store.withTurn(KEY, () => 1, { wait: 0 })).rejects.toMatchObject({ code: 'LOCKED' })
  const controller = new AbortController()
  const aborted = store.withTurn(KEY, () => 1, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
  const waiting = store.withTurn(KEY, () => 1)
  const refused = expect(waiting).rejects.toMatchObject({ code: 'CLOSED' })
  await store.close()
  await refused
  expect(signal.aborted).toBe(true)
  hold.resolve(undefined)
  await holder
  await expect(store.withTurn(KEY, () => 1)).rejects.toMatchObject({ code: 'CLOSED' })
})
