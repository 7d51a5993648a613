import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'

import { ClassicLevel } from 'classic-level'
import { expect, test } from 'vitest'

import { crc32Byte } from '../src/format/crc32-byte.ts'
import { SessionKeys } from '../src/format/row-keys.ts'
import { HEADER_BYTES, sealValue } from '../src/format/row-value.ts'
import { COUNTER_KEY, decodeCounter, encodeCounter, IDENTITY_KEY } from '../src/format/store-rows.ts'
import { STRUCTURES_TEXT } from '../src/format/structures.ts'
import { fileContents, grow, openBackend, repair, temporaryDirectory } from './sample-store.ts'

const NEWER: Readonly<Record<string, (level: ClassicLevel<Buffer, Buffer>) => Promise<void>>> = {
  'another table of structures': async (level) => {
    const identity = (await level.get(IDENTITY_KEY)) ?? Buffer.alloc(0)
    const text = STRUCTURES_TEXT.replace('["role","content"]', '["kind","body"]')
    const value = Buffer.concat([identity.subarray(0, HEADER_BYTES + 32), Buffer.from(text)])
    await level.put(IDENTITY_KEY, sealValue(value, 0, crc32(IDENTITY_KEY)))
  },
  'an event of format 2': (level) => raiseFormat(level, new SessionKeys('s').eventCopy(2)),
  'a head of format 2': (level) => raiseFormat(level, new SessionKeys('s').head),
}

async function raiseFormat(level: ClassicLevel<Buffer, Buffer>, key: Buffer): Promise<void> {
  const value = Buffer.from((await level.get(key)) ?? '')
  value[0] = 2
  const start = crc32Byte(crc32Byte(crc32(key), 2), value[1] ?? 0)
  value.writeUInt32BE(crc32(value.subarray(HEADER_BYTES), start), 2)
  await level.put(key, value)
}

test.each(Object.entries(NEWER))('repair leaves a store with %s alone: UNSUPPORTED', async (_, raise) => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 's', 3)
  await backend.close()
  await backend.open()
  await backend.close()
  const level = new ClassicLevel<Buffer, Buffer>(path, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  await level.open()
  await raise(level)
  const counter = decodeCounter((await level.get(COUNTER_KEY)) ?? Buffer.alloc(0))
  await level.put(COUNTER_KEY, encodeCounter({ ...counter, batches: counter.batches + 1 }))
  await level.close()
  const before = fileContents(path)
  await expect(backend.maintenance?.repair()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await expect(repair(backend)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  expect(fileContents(path)).toEqual(before)
  expect(readdirSync(dirname(path))).toEqual([basename(path)])
})

test.each([
  ['another magic', (slot: Buffer) => slot.write('TLANCHR2', 0, 'latin1')],
  ['an unknown mode', (slot: Buffer) => slot.writeUInt8(3, 48)],
])('a whole watermark with %s is UNSUPPORTED, to opening and to repair', async (_, change) => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 's', 3)
  await backend.close()
  const file = join(path, 'turnlog.anchor')
  const bytes = readFileSync(file)
  for (const offset of [0, 512]) {
    const slot = bytes.subarray(offset, offset + 64)
    change(slot)
    slot.writeUInt32BE(crc32(slot.subarray(0, 60)), 60)
  }
  writeFileSync(file, bytes)
  await expect(backend.open()).rejects.toMatchObject({ code: 'UNSUPPORTED', file })
  await expect(repair(backend)).rejects.toMatchObject({ code: 'UNSUPPORTED', file })
  expect(readFileSync(file).equals(bytes)).toBe(true)
})
