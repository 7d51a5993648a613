import type { EventRecord, Range } from '@turnlog/core/backend'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { grow, openBackend, temporaryDirectory } from './sample-store.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
console.log(`leveldb reading: SEED=${seed}`)
const options = { seed, numRuns: Number(process.env['RUNS'] ?? 60) }

/**
 * Most groups are sealed at 64 events. Where large events or trims come in between, segments end elsewhere, and readers
 * that count on 64 must notice.
 */
const append = fc.record({
  count: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }) }, fc.integer({ min: 10, max: 150 })),
  pad: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(5000, 70_000)),
  trim: fc.option(fc.nat(), { freq: 8 }),
})

const reading = fc.record({
  cuts: fc.array(fc.nat(), { minLength: 2, maxLength: 9 }),
  reverse: fc.boolean(),
  limit: fc.option(fc.nat(200), { freq: 3 }),
})

test('whatever was appended and trimmed, ranges are read whole and in order, forwards and backwards', async () => {
  const backend = await openBackend(temporaryDirectory())
  let session = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(append, { minLength: 1, maxLength: 30 }),
      fc.array(reading, { minLength: 4, maxLength: 4 }),
      async (appends, readings) => {
        const key = `s${session++}`
        let first = 1
        let last = 0
        for (const { count, pad, trim } of appends) {
          if (trim !== null && last > 0) first += trim % (last + 1 - first)
          const extra = pad === 0 || count > 9 ? {} : { pad: 'x'.repeat(pad) }
          last = await grow(backend, key, count, { extra, ...(trim === null ? {} : { trimBefore: first }) })
        }
        for (const { cuts, reverse, limit } of readings) {
          const ranges = rangesBetween(cuts, first, last)
          const found: number[] = []
          const asked = { reverse, ...(limit === null ? {} : { limit }) }
          for await (const batch of backend.read(key, ranges, asked)) found.push(...batch.map(seqAndIdOf))
          expect(found).toEqual(expected(ranges, reverse, limit))
        }
      },
    ),
    options,
  )
}, 60_000)

function seqAndIdOf({ seq, id }: EventRecord): number {
  return id === `id-${seq}` ? seq : Number.NaN
}

/** Every second stretch between the cuts. */
function rangesBetween(cuts: readonly number[], first: number, last: number): readonly Range[] {
  const seqs = [...new Set(cuts.map((cut) => first + (cut % (last + 1 - first))))].sort((a, b) => a - b)
  const ranges: Range[] = []
  for (let index = 0; index + 1 < seqs.length; index += 2) {
    ranges.push({ from: seqs[index] as number, to: seqs[index + 1] as number })
  }
  return ranges
}

function expected(ranges: readonly Range[], reverse: boolean, limit: number | null): readonly number[] {
  const seqs = ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
  return (reverse ? seqs.toReversed() : seqs).slice(0, limit ?? undefined)
}
