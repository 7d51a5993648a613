import type { Backend, EventRecord, Range } from '@turnlog/core/backend'
import { describe, expect, test } from 'vitest'

import { event, openBackend, temporaryDirectory } from './sample-store.ts'

const SESSION = 's'

/** Events that tell in which life they were written, `perAppend` at a time. */
async function live(backend: Backend, life: string, last: number, perAppend: number, bytes: number): Promise<void> {
  for (let before = 0; before < last; before += perAppend) {
    const events = Array.from({ length: perAppend }, (_, index) =>
      event(before + index + 1, { life, pad: 'x'.repeat(bytes) }),
    )
    await backend.append(SESSION, { last: before, incarnation: life }, events, null)
  }
}

interface Seen {
  readonly events: readonly EventRecord[]
  readonly error: unknown
}

/** Reads, and does something else when the first batch is there. */
async function read(
  backend: Backend,
  ranges: readonly Range[],
  reverse: boolean,
  after: () => Promise<void>,
): Promise<Seen> {
  const events: EventRecord[] = []
  try {
    for await (const batch of backend.read(SESSION, ranges, { reverse })) {
      if (events.length === 0) await after()
      events.push(...batch)
    }
    return { events, error: undefined }
  } catch (error) {
    return { events, error }
  }
}

const KINDS = {
  'full segments': { perAppend: 64, bytes: 3000, last: 640 },
  'short segments': { perAppend: 9, bytes: 30_000, last: 270 },
  'single rows': { perAppend: 1, bytes: 70_000, last: 40 },
} as const

/** Reads, and when the first batch is there, the session is erased and begun anew, as long as it was. */
async function readOverErasure(
  kind: keyof typeof KINDS,
  ranges: readonly Range[],
  reverse: boolean = false,
): Promise<{ readonly lives: readonly unknown[]; readonly events: number; readonly error: unknown }> {
  const { perAppend, bytes, last } = KINDS[kind]
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  await live(backend, 'old', last, perAppend, bytes)
  const { events, error } = await read(backend, ranges, reverse, async () => {
    await backend.erase(SESSION, last)
    await live(backend, 'new', last, perAppend, bytes)
  })
  return { lives: [...new Set(events.map(({ life }) => life))], events: events.length, error }
}

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('a long read of %s', (kind) => {
  test.each(['forwards', 'backwards'])('%s never goes on in the next life of its session', async (direction) => {
    const { last } = KINDS[kind]
    const { lives, error } = await readOverErasure(kind, [{ from: 1, to: last }], direction === 'backwards')
    expect(lives).toEqual(['old'])
    expect(error).toMatchObject({ code: 'TRIMMED', session: SESSION })
  })
})

test('a short read whose segments have to be looked for never goes on in the next life, either', async () => {
  const ranges = [
    { from: 1, to: 3 },
    { from: 100, to: 103 },
  ]
  const { lives, error } = await readOverErasure('short segments', ranges)
  expect(lives).toEqual(['old'])
  expect(error).toMatchObject({ code: 'TRIMMED', session: SESSION })
})

test('a short read that asks for everything at once is whole, whatever becomes of its session', async () => {
  const ranges = [
    { from: 1, to: 3 },
    { from: 634, to: 637 },
  ]
  const { lives, events, error } = await readOverErasure('full segments', ranges)
  expect({ lives, events, error }).toEqual({ lives: ['old'], events: 7, error: undefined })
})
