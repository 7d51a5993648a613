import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { encodeBatch } from '../src/append/encode-batch.ts'
import { frameLine, hasValidChecksum, parseBatchEnd } from '../src/format/line.ts'

const SEED = 0x1234_5678

const content = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.integer({ min: 1, max: 200_000 }).map((length) => 'a'.repeat(length)),
  fc.integer({ min: 1, max: 200_000 }).map((length) => '語'.repeat(length)),
)
const places = fc.oneof(fc.constant(2 ** 52), fc.nat())

test('every line of a batch is whole, whatever its texts, its size and its numbers', () => {
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 5 }), content, places, (contents, metadata, place) => {
      const texts = contents.map((text) => JSON.stringify({ type: 'MessageAdded', text }))
      const start = Math.max(1, place - texts.length + 1)
      const last = start + texts.length - 1
      const projection = { metadata }
      const { bytes } = encodeBatch({
        header: undefined,
        texts,
        start,
        first: 1,
        projectionText: JSON.stringify(projection),
        seed: SEED,
        position: place,
        liveStart: 0,
      })
      let at = 0
      for (const [index, text] of texts.entries()) {
        const end = bytes.indexOf(0x0a, at)
        const frame = frameLine(bytes, at, end)
        expect(frame).toMatchObject({ more: texts.length - 1 - index })
        if (frame === undefined) return
        expect(hasValidChecksum(bytes, frame, SEED, start + index)).toBe(true)
        expect(`${bytes.toString('utf8', at, frame.eventEnd)}}`).toBe(text)
        if (frame.more === 0) {
          expect(parseBatchEnd(bytes, frame)).toMatchObject({ first: 1, last, lines: texts.length, projection })
        }
        at = end + 1
      }
      expect(at).toBe(bytes.length)
    }),
    { numRuns: 100 },
  )
})
