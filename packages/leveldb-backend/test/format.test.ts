import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import type { leveldbBackend } from '@turnlog/leveldb-backend'
import { ClassicLevel } from 'classic-level'
import { Unpackr } from 'msgpackr'
import { expect, test } from 'vitest'

import { KEPT_SHAPES } from '../src/format/payload-codec.ts'
import { structureTable } from '../src/format/structures.ts'
import { copyStore, event, grow, openBackend, readAll, readStore, temporaryDirectory } from './sample-store.ts'

/** With nothing but the table that stands in the identity row. */
async function unpackerOf(path: string): Promise<(payload: Buffer) => unknown> {
  const [, identity] = (await rawRows(path)).find(([key]) => key.equals(Buffer.from('\u0001identity'))) ?? []
  const structures = JSON.parse(identity?.toString('latin1', 6 + 32) ?? '') as []
  const unpackr = new Unpackr({ structures, mapsAsObjects: true })
  return (payload) => unpackr.unpack(payload)
}

const fixture = join(import.meta.dirname, 'fixtures', 'format-v1')

async function rawRows(path: string): Promise<readonly (readonly [Buffer, Buffer])[]> {
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  const rows = await level.iterator().all()
  await level.close()
  return rows
}

async function putRaw(path: string, key: Buffer, value: Buffer): Promise<void> {
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.put(key, value)
  await level.compactRange(Buffer.of(0), Buffer.of(255))
  await level.close()
}

function eventKey(session: string, seq: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(seq))
  return Buffer.concat([Buffer.of(3), Buffer.from(session), Buffer.of(0), bytes])
}

test('a store that version 1 of the format wrote opens and gives back what was written', async () => {
  const path = temporaryDirectory()
  copyStore(fixture, path)
  const { report, sessions } = await readStore(path)
  expect(report).toEqual({ created: false, findings: [] })
  expect(sessions).toEqual(JSON.parse(readFileSync(`${fixture}.json`, 'utf8')))
})

test('each value carries format, flags and a checksum over its key and itself', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 3)
  await backend.close()
  const rows = await rawRows(path)
  for (const [key, value] of rows) {
    const covered = Buffer.concat([key, value.subarray(0, 2), value.subarray(6)])
    expect(value[0]).toBe(1)
    expect(value.readUInt32BE(2)).toBe(crc32(covered))
  }
  expect(rows.map(([key]) => key.toString('hex'))).toEqual(
    [
      Buffer.from('\u0001counter'),
      Buffer.from('\u0001identity'),
      Buffer.from('\u0002a\u0000'),
      eventKey('a', 1),
      eventKey('a', 2),
      eventKey('a', 3),
    ].map((key) => key.toString('hex')),
  )
  const unpack = await unpackerOf(path)
  expect(unpack(rows[3]![1].subarray(6))).toEqual(event(1))
})

test('every structure of the table is read back with its keys, in their order', () => {
  expect(KEPT_SHAPES.map((shape) => Object.keys(shape as object))).toEqual(structureTable())
})

test('64 events become one value under the key of the last, and the single ones are deleted', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  for (let round = 0; round < 13; round++) await grow(backend, 'a', 5)
  await backend.close()
  const events = (await rawRows(path)).filter(([key]) => key[0] === 3)
  expect(events.map(([key]) => key.readUInt32BE(key.length - 4))).toEqual([64, 65])
  const [, segment] = events[0]!
  expect(segment[1]).toBe(2)
  expect(segment.readUInt16BE(14)).toBe(64)
  const lengths = Array.from({ length: 64 }, (_, index) => segment.readUInt32BE(16 + 4 * index))
  let at = 16 + 4 * 64
  const unpack = await unpackerOf(path)
  for (const [index, length] of lengths.entries()) {
    expect(unpack(segment.subarray(at, at + length))).toEqual(event(index + 1))
    at += length
  }
  expect(at).toBe(segment.length)
})

test('what msgpack would change is kept as JSON text, alone and in a segment', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  let deep: unknown = 1
  for (let depth = 0; depth < 5000; depth++) deep = [deep]
  const odd = [-0, '\uD800', JSON.parse('{"__proto__":{"a":1}}') as unknown, { '\uDFFF': 1 }, deep]
  const records = Array.from({ length: 70 }, (_, index) => ({ ...event(index + 1), odd: odd[index % 7] ?? null }))
  await backend.append('a', { last: 0, incarnation: 'x' }, records as never, { deep } as never)
  for (const again of [backend, await reopened(backend)]) {
    const found = await readAll(again, 'a')
    expect(Object.is((found[0] as { odd?: unknown }).odd, -0)).toBe(true)
    expect(found.map((record) => exactText(record))).toEqual(records.map((record) => exactText(record)))
  }
  await backend.close()
  const flags = (await rawRows(path)).filter(([key]) => key[0] === 3).map(([, value]) => value[1])
  expect(new Set(flags)).toEqual(new Set([0, 1, 6]))
})

async function reopened(backend: ReturnType<typeof leveldbBackend>): Promise<typeof backend> {
  await backend.close()
  await backend.open()
  return backend
}

/** Without recursion, and with what `JSON.stringify` leaves out. */
function exactText(value: unknown): string {
  const parts: string[] = []
  const stack: unknown[] = [value]
  while (stack.length > 0) {
    const next = stack.pop()
    if (typeof next === 'object' && next !== null) {
      parts.push(
        Array.isArray(next)
          ? '['
          : `{${Object.keys(next)
              .map((key) => JSON.stringify(key))
              .join()}`,
      )
      stack.push(...Object.values(next))
    } else parts.push(Object.is(next, -0) ? '-0' : JSON.stringify(next))
  }
  return parts.join(' ')
}

test('a large event is never written twice', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  for (let round = 0; round < 66; round++)
    await grow(backend, 'a', 1, { extra: { pad: round === 30 ? 'x'.repeat(100_000) : '' } })
  expect(await readAll(backend, 'a')).toHaveLength(66)
  await backend.close()
  const events = (await rawRows(path)).filter(([key]) => key[0] === 3)
  expect(events.slice(0, 2).map(([key, value]) => [key.readUInt32BE(key.length - 4), value[1]])).toEqual([
    [30, 2],
    [31, 0],
  ])
})

test('no segment is much larger than 256 KiB, also if its rows were read back to be sealed', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  for (let round = 0; round < 64; round++) await grow(backend, 'a', 1, { extra: { pad: 'x'.repeat(20_000) } })
  expect(await readAll(backend, 'a')).toHaveLength(64)
  await backend.close()
  const sizes = (await rawRows(path)).filter(([key]) => key[0] === 3).map(([, value]) => value.length)
  expect(Math.max(...sizes)).toBeGreaterThan(250_000)
  expect(Math.max(...sizes)).toBeLessThan(256 * 1024 + 21_000)
})

test('a value of a newer format is UNSUPPORTED, not damage', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 2)
  await backend.close()
  const key = eventKey('a', 2)
  const payload = Buffer.from('from the future')
  const header = Buffer.of(2, 0)
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(Buffer.concat([key, header, payload])))
  await putRaw(path, key, Buffer.concat([header, crc, payload]))
  await backend.open()
  await expect(readAll(backend, 'a')).rejects.toMatchObject({ code: 'UNSUPPORTED', session: 'a', seq: 2 })
})

test('an event that nobody asks for may be damaged or gone, also between two ranges that are read together', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  for (let count = 0; count < 9; count++) await grow(backend, 'a', 1)
  await backend.close()
  await putRaw(path, eventKey('a', 4), Buffer.from('damaged'))
  await putRaw(path, eventKey('a', 5), Buffer.of(1, 2, 3, 4, 5, 6, 7, 8))
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.del(eventKey('a', 7))
  await level.compactRange(Buffer.of(0), Buffer.of(255))
  await level.close()
  await backend.open()
  const read = async (...ranges: { from: number; to: number }[]): Promise<number[]> => {
    const seqs: number[] = []
    for await (const batch of backend.read('a', ranges)) for (const { seq } of batch) seqs.push(seq)
    return seqs
  }
  expect(await read({ from: 1, to: 3 }, { from: 6, to: 6 }, { from: 8, to: 9 })).toEqual([1, 2, 3, 6, 8, 9])
  await expect(read({ from: 1, to: 2 }, { from: 4, to: 4 })).rejects.toMatchObject({ code: 'CORRUPT', seq: 4 })
  await expect(read({ from: 6, to: 6 }, { from: 7, to: 9 })).rejects.toMatchObject({ code: 'CORRUPT', seq: 7 })
})

test('a head that is gone while its events are there is CORRUPT, and so is a list without it', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 2)
  await grow(backend, 'b', 2)
  await backend.close()
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.del(Buffer.from('\u0002a\u0000'))
  await level.compactRange(Buffer.of(0), Buffer.of(255))
  await level.close()
  await backend.open()
  await expect(backend.head('a')).rejects.toMatchObject({ code: 'CORRUPT', session: 'a' })
  await expect(drain(backend.list())).rejects.toMatchObject({ code: 'CORRUPT' })
})

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const batch of batches) expect(batch).toBeDefined()
}
