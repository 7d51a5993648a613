import type { Json } from '@turnlog/core/backend'
import * as fc from 'fast-check'
import { Packr } from 'msgpackr'
import { expect, test } from 'vitest'

import { decodePayload, encodePayload } from '../src/format/payload-codec.ts'
import { writePayload } from '../src/format/payload-writer.ts'
import { recordOf, structureTable } from '../src/format/structures.ts'

/** msgpackr itself, set as it was when format 1 was made. */
const packr = new Packr({
  variableMapSize: true,
  mapsAsObjects: true,
  moreTypes: false,
  maxOwnStructures: 0,
  structures: structureTable(),
  useRecords: (object: object) => recordOf(object) !== undefined,
})

const HEADER = 6

/** Lengths and numbers at which the first byte changes, and one to either side. */
const edges = [0, 1, 0x0f, 0x1f, 0x20, 0x3f, 0x40, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000]
const near = fc.tuple(fc.constantFrom(...edges), fc.integer({ min: -1, max: 1 })).map(([edge, by]) => edge + by)

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.tuple(near, fc.constantFrom('a', 'é', '€', '😀')).map(([length, unit]) => unit.repeat(Math.max(0, length))),
)
const numbers = fc
  .oneof(
    near,
    near.map((edge) => -edge),
    fc.constantFrom(0x7fff_ffff, 0x8000_0000, -0x8000_0000, -0x8000_0001, 0xffff_ffff, 0x1_0000_0000),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  .map((number) => (number === 0 ? 0 : number))
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null))

/** msgpackr does not carry the first, and takes the others for its own. */
const SPECIAL = new Set(['__proto__', 'constructor', 'toJSON', 'hasOwnProperty'])
const keys = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((key) => !SPECIAL.has(key))

const { values } = fc.letrec<{ values: Json }>((tie) => ({
  values: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalars,
    fc.array(tie('values'), { maxLength: 20 }),
    fc.dictionary(keys, tie('values'), { maxKeys: 20, noNullPrototype: true }),
    fc
      .tuple(fc.constantFrom(...structureTable()), fc.array(tie('values'), { minLength: 16, maxLength: 16 }))
      .map(([names, fields]) => Object.fromEntries(names.map((name, index) => [name, fields[index] ?? null]))),
  ),
}))

test('what it writes is what msgpackr writes, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 12 }), (payloads) => {
      const written = payloads.map((payload) => writePayload(payload, HEADER))
      // Compared when all are written: none of them may have been written over.
      for (const [index, payload] of payloads.entries()) {
        expect(written[index]?.subarray(HEADER).equals(packr.pack(payload))).toBe(true)
      }
    }),
    { numRuns: 60 },
  )
})

test('wherever a chunk ends, the value goes on in the next one', () => {
  const payloads = Array.from({ length: 4000 }, (_, index) => ({ role: 'x'.repeat(index % 67), content: index * 1000 }))
  const written = payloads.map((payload) => writePayload(payload, HEADER))
  for (const [at, payload] of payloads.entries()) {
    expect(written[at]?.subarray(HEADER).equals(packr.pack(payload))).toBe(true)
  }
})

test('lists and objects of every length have the right head', () => {
  for (const length of [15, 16, 65_535, 65_536]) {
    const list = Array.from({ length }, (_, index) => index % 100)
    const object = Object.fromEntries(list.map((value, index) => [`k${index}`, value]))
    for (const payload of [list, object]) expect(writePayload(payload, 0)?.equals(packr.pack(payload))).toBe(true)
  }
})

test('a text of megabytes is written whole, and its memory is not kept by what comes after it', () => {
  const large = { role: 'tool', content: 'ä'.repeat(3_000_000) }
  expect(writePayload(large, 0)?.equals(packr.pack(large))).toBe(true)
  expect(writePayload('next', 0)?.buffer.byteLength).toBeLessThan(100_000)
})

test('names that msgpackr takes for its own are names like any other', () => {
  for (const payload of [
    { role: 'user', constructor: 'a' },
    { role: 'user', constructor: null, toJSON: 'b' },
    { role: 'user', toJSON: { toJSON: 1 }, hasOwnProperty: 'c' },
    { constructor: { name: 'Map' }, size: 3, entries: [] },
  ] as Json[]) {
    const { value, json } = encodePayload(payload)
    expect(json).toBe(false)
    expect(JSON.stringify(decodePayload(value.subarray(HEADER), json))).toBe(JSON.stringify(payload))
  }
})

test('what msgpack would change becomes JSON text, wherever in the value it is, and the next value is not disturbed', () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : [nested(depth - 1)])
  const changed: Json[] = [-0, '\ud800', 'x'.repeat(100) + '\udc00', { '\ud800': 1 }, nested(201)]
  changed.push(JSON.parse('{"__proto__":1}') as Json)
  for (const value of changed) {
    for (const payload of [value, ['first', value, 'last'], { role: 'user', content: value }, { a: { b: value } }]) {
      expect(writePayload(payload, HEADER)).toBeUndefined()
      const { value: bytes, json } = encodePayload(payload)
      expect(json).toBe(true)
      expect(decodePayload(bytes.subarray(HEADER), json)).toStrictEqual(payload)
      expect(writePayload('next', 0)?.equals(packr.pack('next'))).toBe(true)
    }
  }
  expect(writePayload(nested(200), 0)).toBeDefined()
})
