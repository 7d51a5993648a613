import { openStore } from '@turnlog/core'
import type { Message, SessionView, StoreConfig, StoreWarning } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { TestClock } from './test-clock.ts'

const KEY = 'telegram:1'

interface Asked {
  readonly view: SessionView<Message>
  readonly signal: AbortSignal
  answer(summary: string): void
  fail(error: Error): void
}

/** A model that answers when the test says so. */
class Model {
  readonly #asked: Asked[] = []
  readonly #waiting: ((asked: Asked) => void)[] = []

  readonly onOverflow = (view: SessionView<Message>, { signal }: { signal: AbortSignal }): Promise<string> =>
    new Promise((answer, fail) => {
      const asked = { view, signal, answer, fail }
      const waiting = this.#waiting.shift()
      if (waiting === undefined) this.#asked.push(asked)
      else waiting(asked)
    })

  /** The next time that it is asked. */
  next(): Promise<Asked> {
    const asked = this.#asked.shift()
    return asked === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(asked)
  }

  get unseen(): number {
    return this.#asked.length
  }
}

async function setUp(limits: StoreConfig['limits']) {
  const clock = new TestClock()
  const model = new Model()
  const warnings: StoreWarning[] = []
  const store = await openStore({
    backend: memoryBackend(),
    clock,
    limits,
    onOverflow: model.onOverflow,
    onWarning: (warning) => warnings.push(warning),
  } as StoreConfig<Message>)
  const add = async (from: number, to: number): Promise<void> => {
    for (let i = from; i <= to; i++) await store.addMessage(KEY, 'user', `m${i}`)
  }
  /** Resolves when the summary is there, without looking at a clock. */
  const summarised = async (): Promise<void> => {
    for await (const event of store.watch(KEY, { after: 0 })) if (event.type === 'Truncated') return
  }
  return { clock, model, store, warnings, add, summarised }
}

test('appends go on while the summariser works, and all that nobody summarised stays', async () => {
  const { store, model, add, summarised } = await setUp({ maxMessages: 10 })
  await add(1, 11)
  const asked = await model.next()
  expect(asked.view.messages.map(({ content }) => content)).toEqual(['m1', 'm2', 'm3'])
  await add(12, 30)
  expect(await store.getHistory(KEY)).toHaveLength(30)
  asked.answer('what m1 to m3 said')
  await summarised()
  const view = await store.load(KEY)
  expect(view.summary).toBe('what m1 to m3 said')
  expect(view.messages[0]?.content).toBe('m4')
  expect(view.messages).toHaveLength(27)
  // Still too many, so it is asked again, with the summary so far.
  const again = await model.next()
  expect(again.view.summary).toBe('what m1 to m3 said')
  expect(again.view.messages[0]?.content).toBe('m4')
  expect(again.view.messages).toHaveLength(19)
  await store.close()
})

test('summary and cut are one append', async () => {
  const { store, model, add, summarised } = await setUp({ maxMessages: 5 })
  await add(1, 6)
  ;(await model.next()).answer('s')
  await summarised()
  const types = []
  for await (const event of store.events(KEY, { from: 7 })) types.push(event.type)
  expect(types).toEqual(['SummarySet', 'Truncated'])
  await store.close()
})

test('a failing summariser is reported and retried with growing pauses, and nothing is lost', async () => {
  const { store, model, clock, warnings, add, summarised } = await setUp({ maxMessages: 5 })
  await add(1, 6)
  const pauses: (number | undefined)[] = []
  for (let attempt = 1; attempt <= 9; attempt++) {
    const scheduled = clock.nextSchedule()
    ;(await model.next()).fail(new Error('HTTP 429'))
    await scheduled
    expect(warnings).toHaveLength(attempt)
    await add(6 + attempt, 6 + attempt)
    expect(model.unseen).toBe(0)
    pauses.push(clock.nextInMs)
    clock.advance(clock.nextInMs ?? 0)
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600].map((seconds) => seconds * 1000))
  expect(warnings[0]).toMatchObject({ code: 'OVERFLOW_FAILED', session: KEY, cause: { message: 'HTTP 429' } })
  expect(warnings[0]?.message).not.toContain('429')
  expect(await store.getHistory(KEY)).toHaveLength(15)
  ;(await model.next()).answer('at last')
  await summarised()
  expect(await store.getSummary(KEY)).toBe('at last')
  await store.close()
})

test('only the hard limit cuts what nobody summarised', async () => {
  const { store, model, add } = await setUp({ maxMessages: 5, hardMaxMessages: 20 })
  await add(1, 20)
  expect(await store.getHistory(KEY)).toHaveLength(20)
  await add(21, 21)
  expect((await store.getHistory(KEY))[0]?.content).toBe('m6')
  expect(await store.getHistory(KEY)).toHaveLength(16)
  expect((await model.next()).view.messages.at(-1)?.content).toBe('m2')
  await store.close()
})

test('a summary of what somebody else cut meanwhile is dropped, and asked for again later', async () => {
  const { store, model, clock, warnings, add } = await setUp({ maxMessages: 5 })
  await add(1, 6)
  const asked = await model.next()
  await store.summarize(KEY, { summary: 'by hand', through: 1, version: 6 })
  await add(7, 8)
  const scheduled = clock.nextSchedule()
  asked.answer('too late')
  await scheduled
  expect(await store.getSummary(KEY)).toBe('by hand')
  expect(await store.getHistory(KEY)).toHaveLength(7)
  expect(warnings[0]).toMatchObject({ code: 'OVERFLOW_FAILED', cause: { code: 'CONFLICT' } })
  clock.advance(30_000)
  expect((await model.next()).view.summary).toBe('by hand')
  await store.close()
})

test('close does not wait for a model, tells it to stop, and drops what it says', async () => {
  const { store, model, add, warnings, clock } = await setUp({ maxMessages: 5 })
  await add(1, 6)
  const asked = await model.next()
  await store.close()
  expect(asked.signal.aborted).toBe(true)
  asked.answer('nobody listens')
  await Promise.resolve()
  expect(warnings).toEqual([])
  expect(clock.waiting).toBe(0)
})

test('four sessions are summarised at a time, and each in its turn', async () => {
  const { store, model } = await setUp({ maxMessages: 1 })
  const keys = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const key of keys)
    await store.addMessages(key, [
      { role: 'user', content: key },
      { role: 'user', content: '2' },
    ])
  const first = [await model.next(), await model.next(), await model.next(), await model.next()]
  expect(model.unseen).toBe(0)
  first[0]?.answer('s')
  const fifth = await model.next()
  expect(fifth.view.key).toBe('e')
  expect(model.unseen).toBe(0)
  await store.close()
})

test('what a model says about a session that was erased meanwhile does not reach the one that has its key now', async () => {
  const { store, model, clock, warnings, add } = await setUp({ maxMessages: 5 })
  await add(1, 6)
  const asked = await model.next()
  await store.deleteSession(KEY, { erase: true })
  await add(11, 16)
  const refused = clock.nextSchedule()
  asked.answer('what nobody may know any more')
  await refused
  expect(warnings).toMatchObject([{ code: 'OVERFLOW_FAILED', cause: { code: 'CONFLICT' } }])
  expect(await store.load(KEY)).toMatchObject({ summary: '', messages: { length: 6 } })
  await store.close()
})
