import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import {
  batchSequence,
  checkBlocks,
  checkTable,
  encodeBatch,
  encodeLog,
  entryBytes,
  findTableRow,
  listFiles,
  logBytes,
  logName,
  mask,
  parseBatch,
  parseLog,
  readLogRows,
  readManifest,
  readTableRows,
  removeCompactPointers,
  crc32c,
  unmask,
} from '@turnlog/leveldb-files'
import type { SequencedRow } from '@turnlog/leveldb-files'
import { ClassicLevel } from 'classic-level'
import {
  array,
  asyncProperty,
  assert,
  boolean,
  constantFrom,
  nat,
  option,
  property,
  record,
  uint8Array,
} from 'fast-check'
import { expect, test } from 'vitest'

import { temporaryDirectory } from './temporary-directory.ts'

const bytesOf = (maxLength: number) => uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))
const entries = array(record({ key: bytesOf(20), value: option(bytesOf(2_000), { nil: undefined }) }), { minLength: 1 })

test('what is written as a log comes back record by record, whatever the sizes', () => {
  const size = constantFrom(0, 1, 100, 32_753, 32_754, 32_755, 32_761, 32_768, 65_522, 70_000)
  assert(
    property(array(size, { maxLength: 12 }), nat({ max: 40_000 }), (sizes, zeros) => {
      const records = sizes.map((length, index) => Buffer.alloc(length, index + 1))
      const log = encodeLog(records)
      const { records: read, end, rest } = parseLog(Buffer.concat([log, Buffer.alloc(zeros)]))
      expect({ end, rest }).toEqual({ end: log.length, rest: 'nothing' })
      expect(read.length).toBe(records.length)
      expect(read.every(({ bytes }, index) => bytes.equals(records[index] ?? Buffer.alloc(0)))).toBe(true)
      expect(log.length).toBeLessThanOrEqual(records.reduce((sum, { length }) => sum + logBytes(length), 0))
    }),
  )
})

test('what is written as a batch comes back entry by entry, and takes the bytes that were foretold', () => {
  assert(
    property(entries, nat(), (written, sequence) => {
      const batch = encodeBatch(sequence, written)
      expect(parseBatch(batch)).toEqual(written)
      expect(batchSequence(batch)).toBe(sequence)
      expect(batch.length).toBe(written.reduce((sum, { key, value }) => sum + entryBytes(key, value), 12))
    }),
  )
})

test('checksums are those of RFC 3720, and the mask comes off again', () => {
  expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa)
  expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43)
  expect(crc32c(Buffer.from('xx123456789xx'), 2, 11)).toBe(0xe3069283)
  for (const sum of [0, 1, 0x8a9136aa, 0xffff_ffff]) expect(unmask(mask(sum))).toBe(sum)
})

/** Of each key the newest row, from all logs and tables. */
function newestRows(directory: string): ReadonlyMap<string, SequencedRow> {
  const fail = (problem: string): never => expect.unreachable(problem)
  const { logs, tables } = listFiles(directory)
  const newest = new Map<string, SequencedRow>()
  const add = (row: SequencedRow): void => {
    const key = row.key.toString('latin1')
    if ((newest.get(key)?.sequence ?? -1) < row.sequence) newest.set(key, row)
  }
  for (const number of logs) for (const row of readLogRows(join(directory, logName(number)), fail, () => 0)) add(row)
  for (const name of tables.values()) for (const row of readTableRows(join(directory, name), fail, String)) add(row)
  return newest
}

test('every row that LevelDB stores is read without it, from its logs and its tables', async () => {
  const round = record({ rows: entries, reopen: boolean() })
  await assert(
    asyncProperty(array(round, { minLength: 1, maxLength: 4 }), boolean(), async (rounds, compression) => {
      const directory = temporaryDirectory()
      const options = { keyEncoding: 'buffer', valueEncoding: 'buffer', blockSize: 1024, compression } as const
      const level = new ClassicLevel<Buffer, Buffer>(directory, options)
      await level.open()
      for (const { rows, reopen } of rounds) {
        for (const { key, value } of rows) {
          if (value === undefined) await level.del(key)
          else await level.put(key, value)
        }
        if (!reopen) continue
        await level.close()
        await level.open() // makes a table of the log
      }
      const stored = await level.iterator().all()
      await level.close()
      const found = [...newestRows(directory).values()].filter(({ value }) => value !== undefined)
      const sorted = found.map(({ key, value }) => [key, value] as const).sort(([a], [b]) => a.compare(b))
      expect(sorted).toEqual(stored)
      await checkFiles(directory, stored)
    }),
    { numRuns: 15 },
  )
})

async function checkFiles(directory: string, stored: readonly (readonly [Buffer, Buffer])[]): Promise<void> {
  const manifest = readManifest(directory)
  if ('problem' in manifest) return expect.unreachable(manifest.problem)
  const { tables } = listFiles(directory)
  for (const { number, bytes, smallest, largest } of manifest.tables.values()) {
    const file = join(directory, tables.get(number) ?? '')
    const table = checkTable(file, bytes)
    if ('problem' in table) return expect.unreachable(table.problem)
    expect(await checkBlocks(table)).toBeUndefined()
    for (const key of [smallest, largest]) expect(findTableRow(file, key)).toMatchObject({ row: { key } })
  }
  removeCompactPointers(directory)
  expect(readManifest(directory)).toEqual(manifest)
  expect(readFileSync(join(directory, 'CURRENT')).length).toBeGreaterThan(0)
  const level = new ClassicLevel<Buffer, Buffer>(directory, { keyEncoding: 'buffer', valueEncoding: 'buffer' })
  expect(await level.iterator().all()).toEqual(stored)
  await level.close()
}
