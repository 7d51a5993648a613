import type { EventRecord, Json, JsonObject } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import { fuzzRuns, mutatedBytes, SECRET, tellsSecret } from '@turnlog/conformance/fuzz'
import { assert, boolean, constantFrom, json, nat, oneof, property, record } from 'fast-check'
import { expect, test } from 'vitest'

import { tailOf } from '../src/format/tail.ts'
import { checkEvents, decodeEvents, encodeEvent, readRow, sealEvent } from '../src/format/event-row.ts'
import { decodeHead, encodeHead, toHead } from '../src/format/head-row.ts'
import { decodePayload, encodePayload } from '../src/format/payload-codec.ts'
import { parseKey, SessionKeys } from '../src/format/row-keys.ts'
import { HEADER_BYTES, sealValue } from '../src/format/row-value.ts'
import { sealSegment } from '../src/format/segment.ts'

const { numRuns, timeoutMs } = fuzzRuns()
const keys = new SessionKeys('fuzzed')
const messages: readonly JsonObject[] = [
  { role: 'user', content: SECRET },
  { role: 'user', content: SECRET, nested: [[1, 2.5, -7, null, true], { deep: { deeper: [SECRET] } }] },
  { role: 'user', content: `\ud800${SECRET}` },
]
const events = messages.map((message, index): EventRecord => ({
  seq: index + 1,
  id: `id${index}`,
  type: 'MessageAdded',
  v: 1,
  at: 1,
  message,
}))
const singles = events.map((event) => Buffer.from(sealEvent(keys, encodeEvent({ ...event, seq: 1 }))))
const segment = Buffer.from(sealSegment(keys, 1, tailOf(events.map(encodeEvent))))
const rows = [...singles, segment]
const head = encodeHead(keys.headSum, {
  first: 1,
  last: 3,
  sealed: 3,
  trimmed: 1,
  bytes: 99,
  incarnation: 'incarnation',
  projection: encodePayload({ messages: 3, metadata: { text: SECRET } }).value.toString('latin1', HEADER_BYTES),
  json: false,
})

/** A refusal must be a `StoreError` that tells nothing of what a user said. */
function refusable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    expect(isStoreError(error), String(error)).toBe(true)
    expect(tellsSecret(error)).toBe(false)
    return undefined
  }
}

test(
  'a changed row is refused',
  () => {
    assert(
      property(mutatedBytes(rows), (value) => {
        const original = rows.find((row) => row.equals(value))
        const found = refusable(() => readRow('fuzzed', keys, value, 1))
        expect(found === undefined).toBe(original === undefined)
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'a changed row with a right checksum gives events or a refusal',
  () => {
    const span = record({ skip: nat({ max: 2 }), count: nat({ max: 3 }), isPart: boolean(), flags: nat({ max: 255 }) })
    assert(
      property(mutatedBytes(rows), span, boolean(), (value, { skip, count, isPart, flags }, keepsFlags) => {
        if (value.length < HEADER_BYTES) return
        const wanted = keepsFlags ? (value[1] ?? 0) & 7 : flags
        const isSegment = (wanted & 2) !== 0 && value.length >= HEADER_BYTES + 10
        const last = isSegment ? value.readUInt32BE(HEADER_BYTES + 4) + value.readUInt16BE(HEADER_BYTES + 8) - 1 : 1
        if (last >= 0) sealValue(value, wanted, keys.eventSum(last))
        refusable(() => {
          const whole = checkEvents('fuzzed', keys, value, 1)
          const first = whole.first + skip
          const part = { first, last: Math.min(whole.last, first + count) }
          return decodeEvents('fuzzed', value, isPart && part.first <= part.last ? part : whole)
        })
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'a changed head is refused, and one with a right checksum gives a head or a refusal',
  () => {
    assert(
      property(mutatedBytes([head]), boolean(), (value, isSealed) => {
        if (isSealed && value.length >= HEADER_BYTES) sealValue(value, (value[1] ?? 0) & 1, keys.headSum)
        const found = refusable(() => toHead(decodeHead(keys.head, value, 'fuzzed'), 'fuzzed'))
        if (!isSealed && !value.equals(head)) expect(found).toBeUndefined()
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'any bytes are a key or none',
  () => {
    assert(
      property(mutatedBytes([keys.head, keys.eventCopy(7)]), (key) => {
        expect(['meta', 'head', 'event', undefined]).toContain(parseKey(key)?.kind)
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'every value comes back as it was, and brings nothing of another session along',
  () => {
    const odd = constantFrom<Json>('\ud800', '\0', '\u2028', 2 ** 53 - 1, -(2 ** 53), 5e-324, 1e21, 4_294_967_296)
    const value = oneof(
      json({ maxDepth: 4 }).map((text) => JSON.parse(text) as Json),
      odd,
    )
    assert(
      property(value, (payload) => {
        encodePayload({ other: SECRET, again: [SECRET] })
        const { value: bytes, json: isText } = encodePayload(payload)
        expect(bytes.includes(SECRET)).toBe(false)
        expect(JSON.stringify(decodePayload(bytes.subarray(HEADER_BYTES), isText))).toBe(JSON.stringify(payload))
      }),
      { numRuns },
    )
  },
  timeoutMs,
)
