import { wrapBackend } from '@turnlog/core/backend'
import type { Backend, Maintenance } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

/** A class with private state, as a third party may write one: its methods work only when they are called on it. */
class OwnMaintenance {
  readonly #sizes = { bytes: 3, files: 1 }
  async sizes(): Promise<{ bytes: number; files: number }> {
    return this.#sizes
  }
}

test('a wrapper has no optional member that the backend has not', () => {
  const wrapped = wrapBackend(memoryBackend(), { name: 'other' })
  expect(wrapped.name).toBe('other')
  expect('wake' in wrapped || 'maintenance' in wrapped).toBe(false)
})

test('wake and the methods of maintenance are called on what they belong to', async () => {
  const inner: Backend = {
    ...wrapBackend(memoryBackend(), {}),
    async *wake() {
      yield
    },
    maintenance: new OwnMaintenance() as unknown as Maintenance,
  }
  const verify = async (): Promise<never> => Promise.reject(new Error('replaced'))
  const wrapped = wrapBackend(inner, { maintenance: { verify } })
  expect(await wrapped.maintenance?.sizes()).toEqual({ bytes: 3, files: 1 })
  await expect(wrapped.maintenance?.verify()).rejects.toThrow('replaced')
  const hint = await wrapped.wake?.('s', new AbortController().signal)[Symbol.asyncIterator]().next()
  expect(hint).toEqual({ done: false, value: undefined })
})

test('a backend that keeps its methods on a prototype is forwarded to', async () => {
  const inner = memoryBackend()
  const wrapped = wrapBackend(inner, { head: async () => undefined })
  await wrapped.open()
  await wrapped.append('s', { last: 0, incarnation: 'i' }, [{ seq: 1, id: 'a', type: 'Noted', v: 1, at: 1 }], null)
  expect(await wrapped.head('s')).toBeUndefined()
  expect(await inner.head('s')).toMatchObject({ last: 1 })
  await wrapped.close()
  await expect(inner.head('s')).rejects.toMatchObject({ code: 'CLOSED' })
})
