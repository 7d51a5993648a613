import type { Backend, Range } from '@turnlog/core/backend'
import { expect, test } from 'vitest'

import { event, openBackend, temporaryDirectory } from './sample-store.ts'

const LIFE = 'life'

async function append(
  backend: Backend,
  last: number,
  count: number,
  bytes: number,
  trimBefore?: number,
): Promise<number> {
  const events = Array.from({ length: count }, (_, index) => event(last + index + 1, { pad: 'x'.repeat(bytes) }))
  const options = trimBefore === undefined ? {} : { trimBefore }
  await backend.append('s', { last, incarnation: LIFE }, events, null, options)
  return last + count
}

/** Trims all but the last event behind the first batch, and waits until the rows are gone. */
async function seqsOverTrim(backend: Backend, last: number, ranges: readonly Range[]): Promise<readonly number[]> {
  const seqs: number[] = []
  for await (const batch of backend.read('s', ranges)) {
    if (seqs.length === 0) {
      await append(backend, last, 1, 0, last + 1)
      await backend.maintenance?.reclaim()
    }
    seqs.push(...batch.map(({ seq }) => seq))
  }
  return seqs
}

function seqsOf(ranges: readonly Range[]): readonly number[] {
  return ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
}

test('ranges in segments of fewer events than usual are all read as they were at the beginning', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  let last = 0
  for (let count = 0; count < 30; count++) last = await append(backend, last, 9, 30_000)
  const ranges = [
    { from: 1, to: 3 },
    { from: 100, to: 103 },
    { from: 200, to: 230 },
  ]
  expect(await seqsOverTrim(backend, last, ranges)).toEqual(seqsOf(ranges))
})

test('a range that goes on in such segments is read as it was at the beginning', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  let last = await append(backend, 0, 64, 0)
  for (let count = 0; count < 7; count++) last = await append(backend, last, 9, 30_000)
  last = await append(backend, last, 1, 70_000)
  const ranges = [{ from: 1, to: 100 }]
  expect(await seqsOverTrim(backend, last, ranges)).toEqual(seqsOf(ranges))
})

test('what is trimmed while the iterators are taken back is TRIMMED, whatever row stands there now', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  await backend.append('other', { last: 0, incarnation: LIFE }, [event(1)], null)
  let last = 0
  for (let count = 0; count < 40; count++) last = await append(backend, last, 1, 70_000)
  const read = async (): Promise<void> => {
    let batches = 0
    for await (const _ of backend.read('s', [{ from: 1, to: last }])) {
      batches++
      if (batches > 1) continue
      await append(backend, last, 1, 0, 35)
      await backend.erase('other', 1)
      await backend.maintenance?.reclaim()
    }
  }
  await expect(read()).rejects.toMatchObject({ code: 'TRIMMED', session: 's' })
})
