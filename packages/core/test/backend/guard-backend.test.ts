import { guardBackend, StoreError } from '@turnlog/core/backend'
import type { Backend, BackendDriver, Capabilities, DriverFactory } from '@turnlog/core/backend'
import { expect, test } from 'vitest'

const CAPABILITIES: Capabilities = {
  persistent: false,
  durability: 'none',
  access: 'exclusive',
  concurrentReaders: false,
  detectsDamage: false,
}

const event = { seq: 1, id: 'a', type: 'Noted', v: 1, at: 1 }
const fault = new Error('the text of a message')

/** A driver of which a test needs only some members. */
function guarded(driver: Partial<BackendDriver>, factory: Partial<DriverFactory> = {}): Backend {
  const rest: BackendDriver = {
    report: { created: true, findings: [] },
    append: async () => undefined,
    async *read() {
      yield [event]
      yield [event]
    },
    head: async () => undefined,
    async *list() {},
    erase: async () => undefined,
    close: async () => undefined,
  }
  return guardBackend('sample', CAPABILITIES, { open: async () => ({ ...rest, ...driver }), ...factory })
}

const failing = async (): Promise<never> => Promise.reject(fault)

test('an error that is no StoreError becomes IO with the error as its cause, and its text is not repeated', async () => {
  const backend = guarded({ append: failing, head: failing, erase: failing, close: failing })
  await backend.open()
  const calls = [
    backend.append('s', { last: 0, incarnation: 'i' }, [event], null),
    backend.head('s'),
    backend.erase('s', 0),
    backend.close(),
  ]
  for (const call of calls) {
    const error: unknown = await call.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'IO', cause: fault })
    expect((error as Error).message).not.toContain(fault.message)
  }
})

test('a driver says itself what its errors mean, also those of opening', async () => {
  const toStoreError = (cause: unknown, what: string, session: string | undefined): StoreError =>
    new StoreError('CORRUPT', `Cannot ${what}: ${session}.`, { cause })
  const backend = guarded({ head: failing }, { toStoreError })
  await backend.open()
  await expect(backend.head('s')).rejects.toMatchObject({ code: 'CORRUPT', message: 'Cannot read the head: s.' })
  const closed = guarded({}, { open: failing, toStoreError })
  await expect(closed.open()).rejects.toMatchObject({ code: 'CORRUPT', cause: fault })
})

test('the driver is made anew by each open, and by a second try after one that failed', async () => {
  let opened = 0
  const backend = guarded(
    {},
    {
      open: async ({ readOnly }) => {
        opened++
        if (opened === 1) throw fault
        return { report: { created: readOnly, findings: [] }, close: async () => undefined } as unknown as BackendDriver
      },
    },
  )
  await expect(backend.open()).rejects.toMatchObject({ code: 'IO' })
  await Promise.all([backend.open({ readOnly: true }), backend.open()])
  expect(opened).toBe(2)
  await backend.close()
  expect(await backend.open()).toEqual({ created: false, findings: [] })
  expect(opened).toBe(3)
})

test('close ends iterators and waits for what they hold before it closes the driver', async () => {
  const order: string[] = []
  const backend = guarded({
    async *read() {
      try {
        yield [event]
        yield [event]
      } finally {
        await Promise.resolve()
        order.push('released')
      }
    },
    close: async () => void order.push('closed'),
  })
  await backend.open()
  const reading = backend.read('s', [{ from: 1, to: 9 }])[Symbol.asyncIterator]()
  await reading.next()
  await backend.close()
  expect(order).toEqual(['released', 'closed'])
  await expect(reading.next()).rejects.toMatchObject({ code: 'CLOSED' })
  expect((await reading.next()).done).toBe(true)
  expect(order).toEqual(['released', 'closed'])
})

test('an iterator ends with the close that followed it, also if the backend is open again', async () => {
  const backend = guarded({})
  await backend.open()
  const reading = backend.read('s', [{ from: 1, to: 9 }])[Symbol.asyncIterator]()
  await reading.next()
  await backend.close()
  await backend.open()
  await expect(reading.next()).rejects.toMatchObject({ code: 'CLOSED' })
})

test('a driver is not asked to read what is no range, and not to write what was opened to read', async () => {
  const asked: string[] = []
  const noted = (name: string) => async (): Promise<undefined> => void asked.push(name)
  const backend = guarded(
    {
      append: noted('append'),
      erase: noted('erase'),
      maintenance: { verify: failing, sizes: failing, reclaim: failing },
    },
    { repair: failing },
  )
  await backend.open({ readOnly: true })
  const writes = [
    backend.append('s', { last: 0, incarnation: 'i' }, [event], null),
    backend.erase('s', 0),
    backend.maintenance?.reclaim(),
  ]
  for (const write of writes) await expect(write).rejects.toMatchObject({ code: 'READ_ONLY' })
  const bad = [backend.read('s', [{ from: 0, to: 1 }]), backend.list({ limit: -1 })]
  for (const iterable of bad) {
    await expect(iterable[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
  expect(asked).toEqual([])
})

test('close ends a verification with CLOSED and waits for it, and ends a wake', async () => {
  const order: string[] = []
  const aborted = async (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
  const backend = guarded(
    {
      maintenance: {
        verify: async ({ signal } = {}) => {
          await aborted(signal)
          order.push('verified')
          throw signal?.reason
        },
        sizes: failing,
        reclaim: failing,
      },
      // oxlint-disable-next-line require-yield
      async *wake(_session, signal) {
        await aborted(signal)
      },
      close: async () => void order.push('closed'),
    },
    { repair: failing, hasWake: true },
  )
  await backend.open()
  const verified = backend.maintenance?.verify()
  const woken = backend.wake?.('s', new AbortController().signal)[Symbol.asyncIterator]().next()
  const closed = backend.close()
  await expect(verified).rejects.toMatchObject({ code: 'CLOSED' })
  expect((await woken)?.done).toBe(true)
  await closed
  expect(order).toEqual(['verified', 'closed'])
})

test('the reason of a signal reaches the caller as it is', async () => {
  const backend = guarded(
    {
      maintenance: {
        verify: async ({ signal } = {}) => Promise.reject(signal?.reason),
        sizes: failing,
        reclaim: failing,
      },
    },
    { repair: async ({ signal }) => Promise.reject(signal?.reason) },
  )
  const signal = AbortSignal.abort(fault)
  await expect(backend.maintenance?.repair({ signal })).rejects.toBe(fault)
  await backend.open()
  await expect(backend.maintenance?.verify({ signal })).rejects.toBe(fault)
  const reading = backend.read('s', [{ from: 1, to: 9 }], { signal })[Symbol.asyncIterator]()
  await expect(reading.next()).rejects.toBe(fault)
})

test('repair wants a closed backend', async () => {
  const backend = guarded({}, { repair: async () => ({ applied: true, actions: [] }) })
  await backend.open()
  await expect(backend.maintenance?.repair()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await backend.close()
  expect(await backend.maintenance?.repair()).toEqual({ applied: true, actions: [] })
})

test('what a driver does not have is absent, and the capabilities cannot be changed', () => {
  const backend = guarded({})
  expect('wake' in backend || 'maintenance' in backend).toBe(false)
  expect(Object.isFrozen(backend.capabilities)).toBe(true)
})
