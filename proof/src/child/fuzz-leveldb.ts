import type { Random } from '@turnlog/conformance/random'
import type { Json } from '@turnlog/core'

import type { FuzzTarget } from './fuzz-target.ts'
import { SECRET } from './fuzz-target.ts'
import { mutateBytes } from './mutate.ts'

/** The inner modules of the backend, by what is used of them. */
interface Keys {
  readonly head: Buffer
  eventSum(seq: number): number
}
interface Span {
  readonly first: number
  readonly last: number
}
interface Modules {
  readonly rows: {
    encodeEvent(event: unknown): { readonly value: Buffer; readonly json: boolean; readonly seq: number }
    sealEvent(keys: Keys, row: unknown): Buffer
    checkEvents(session: string, keys: Keys, value: Buffer, expected: number): Span
    decodeEvents(session: string, value: Buffer, wanted: Span): readonly unknown[]
    readRow(session: string, keys: Keys, value: Buffer, expected: number): readonly unknown[]
  }
  readonly tails: { tailOf(rows: readonly unknown[]): unknown }
  readonly segments: { sealSegment(keys: Keys, first: number, tail: unknown): Buffer }
  readonly values: { sealValue(value: Buffer, flags: number, keySum: number): Buffer }
  readonly keys: { readonly SessionKeys: new (session: string) => Keys; parseKey(key: Buffer): unknown }
  readonly codec: {
    encodePayload(payload: Json): { readonly value: Buffer; readonly json: boolean }
    decodePayload(bytes: Buffer, json: boolean): Json
  }
  readonly log: { parseLog(bytes: Buffer): unknown }
  readonly batch: { parseBatch(record: Buffer): unknown }
  readonly snappy: { uncompress(bytes: Buffer): Buffer | undefined }
}

const HEADER_BYTES = 6

export async function leveldbTargets(): Promise<readonly FuzzTarget[]> {
  const modules = await loadModules()
  const { rows, values, keys, codec } = modules
  const sessionKeys = new keys.SessionKeys('fuzzed')
  const event = (seq: number, message: Json): unknown => ({
    seq,
    id: `id${seq}`,
    type: 'MessageAdded',
    v: 1,
    at: seq,
    message,
  })
  const messages: readonly Json[] = [
    { role: 'user', content: SECRET },
    { role: 'user', content: SECRET, nested: [[1, 2.5, -7, null, true], { deep: { deeper: [SECRET] } }] },
    { role: 'user', content: `\ud800${SECRET}` },
  ]
  const single = messages.map((message) => rows.sealEvent(sessionKeys, rows.encodeEvent(event(1, message))))
  const tail = modules.tails.tailOf(messages.map((message, index) => rows.encodeEvent(event(index + 1, message))))
  const segment = modules.segments.sealSegment(sessionKeys, 1, tail)
  const originals = [...single, segment]
  return [
    {
      // A right checksum over wrong contents: what a decoder must bear even so.
      name: 'leveldb row, sealed anew',
      weight: 12,
      feed: (random) => {
        const value = mutateBytes(random.pick(originals), random)
        if (value.length >= HEADER_BYTES) {
          const flags = random.chance(0.8) ? (value[1] ?? 0) & 7 : random.below(256)
          const isSegment = (flags & 2) !== 0 && value.length >= HEADER_BYTES + 10
          const last = isSegment ? value.readUInt32BE(HEADER_BYTES + 4) + value.readUInt16BE(HEADER_BYTES + 8) - 1 : 1
          if (last >= 0) values.sealValue(value, flags, sessionKeys.eventSum(last))
        }
        const span = rows.checkEvents('fuzzed', sessionKeys, value, 1)
        const first = span.first + random.below(3)
        const last = Math.min(span.last, first + random.below(4))
        rows.decodeEvents('fuzzed', value, random.chance(0.5) && first <= last ? { first, last } : span)
        return undefined
      },
    },
    {
      name: 'leveldb row',
      weight: 12,
      feed: (random) => {
        const original = random.pick(originals)
        const value = mutateBytes(original, random)
        rows.readRow('fuzzed', sessionKeys, value, 1)
        return value.equals(original) ? undefined : 'a changed row was accepted'
      },
    },
    {
      name: 'leveldb key',
      weight: 6,
      feed: (random) => {
        keys.parseKey(mutateBytes(sessionKeys.head, random))
        return undefined
      },
    },
    {
      name: 'leveldb files',
      weight: 6,
      feed: (random) => {
        const bytes = mutateBytes(random.pick(originals), random)
        modules.log.parseLog(bytes)
        modules.batch.parseBatch(bytes)
        modules.snappy.uncompress(bytes)
        return undefined
      },
    },
    {
      name: 'leveldb codec',
      weight: 8,
      feed: (random) => {
        codec.encodePayload({ other: SECRET, again: [SECRET] })
        const payload = randomJson(random, 4)
        const { value, json } = codec.encodePayload(payload)
        if (value.includes(SECRET)) return 'stored bytes hold data of another session'
        const back = codec.decodePayload(value.subarray(HEADER_BYTES), json)
        return JSON.stringify(back) === JSON.stringify(payload) ? undefined : 'a value does not come back as it was'
      },
    },
  ]
}

const TEXTS = ['', 'plain', '\ud800', '\0', '\u2028', 'ünï', '__proto__', 'x'.repeat(300)]
const NUMBERS = [0, -1, 1.5, 1e21, 2 ** 53 - 1, -(2 ** 53), 5e-324, 4_294_967_296]

function randomJson(random: Random, depth: number): Json {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return random.pick(TEXTS)
    case 1:
      return random.pick(NUMBERS)
    case 2:
      return random.chance(0.5)
    case 3:
      return null
    case 4:
      return random.next() * 1e6
    case 5:
      return Array.from({ length: random.below(5) }, () => randomJson(random, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [
          `${random.pick(TEXTS)}${random.below(9)}`,
          randomJson(random, depth - 1),
        ]),
      )
  }
}

async function loadModules(): Promise<Modules> {
  const main = import.meta.resolve('@turnlog/leveldb-backend')
  const load = async <T>(file: string): Promise<T> => (await import(new URL(file, main).href)) as T
  return {
    rows: await load('./rows/event-row.js'),
    tails: await load('./append/tail.js'),
    segments: await load('./rows/segment.js'),
    values: await load('./rows/row-value.js'),
    keys: await load('./rows/row-keys.js'),
    codec: await load('./rows/payload-codec.js'),
    log: await load('./files/log-file.js'),
    batch: await load('./files/write-batch.js'),
    snappy: await load('./files/snappy.js'),
  }
}
