import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fuzzRuns, mutatedBytes } from '@turnlog/conformance/fuzz'
import {
  batchBytes,
  checkBlocks,
  checkTable,
  encodeBatch,
  encodeLog,
  fileHoldsPrefix,
  findTableRow,
  keysIn,
  listFiles,
  parseBatch,
  parseLog,
  parseManifest,
  readLogRows,
  readManifest,
  readTableRows,
  recordsAnywhere,
  uncompress,
  withoutCompactPointers,
} from '@turnlog/leveldb-files'
import type { SequencedRow } from '@turnlog/leveldb-files'
import { ClassicLevel } from 'classic-level'
import { assert, asyncProperty, property } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

const { numRuns, timeoutMs } = fuzzRuns()
const some = fuzzRuns(0.2)
const directory = mkdtempSync(join(tmpdir(), 'leveldb-files-fuzz-'))
const files: { table: string; log: string; manifest: string } = { table: '', log: '', manifest: '' }

beforeAll(async () => {
  const level = new ClassicLevel(directory, { blockSize: 1024 })
  for (let row = 0; row < 200; row++) await level.put(`key ${row % 90}`, `value ${row} `.repeat(row % 40))
  await level.close()
  await level.open() // makes a table of the log
  for (let row = 0; row < 20; row++) await level.put(`later ${row}`, 'x'.repeat(3_000))
  await level.close()
  const { tables, logs, manifests } = listFiles(directory)
  files.table = join(directory, [...tables.values()][0] ?? '')
  files.log = join(directory, `${String(logs.at(-1)).padStart(6, '0')}.log`)
  files.manifest = join(directory, manifests[0] ?? '')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function asText({ key, sequence, value }: SequencedRow): string {
  return `${key.toString('latin1')} ${sequence} ${value?.toString('latin1')}`
}

const batches = [1, 2, 3].map((number) => encodeBatch(number, [{ key: Buffer.from('key'), value: Buffer.alloc(90) }]))

test(
  'any bytes are a log, a batch, a compressed block or a record of a MANIFEST, or are refused without an error',
  () => {
    const originals = [encodeLog(batches), ...batches, readFileSync(files.manifest), readFileSync(files.table)]
    assert(
      property(mutatedBytes(originals), (bytes) => {
        const { records, end, rest, next } = parseLog(bytes)
        expect(end).toBeLessThanOrEqual(bytes.length)
        expect(next === undefined).toBe(rest !== 'damaged')
        parseManifest(records)
        for (const record of recordsAnywhere(bytes.subarray(0, 300), 0)) expect(record.bytes.length).toBeLessThan(300)
        expect(parseBatch(bytes)?.length ?? 0).toBeLessThanOrEqual(bytes.length)
        expect(batchBytes(bytes) ?? 0).toBeLessThanOrEqual(bytes.length)
        keysIn(bytes)
        withoutCompactPointers(bytes)
        uncompress(bytes)
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

test(
  'a changed table gives rows or problems, and never a row that was not in it',
  async () => {
    const original = readFileSync(files.table)
    const rowsIn = (file: string): readonly string[] =>
      Array.from(
        readTableRows(file, () => undefined, String),
        asText,
      )
    const rows = new Set(rowsIn(files.table))
    const file = join(directory, 'changed.ldb')
    await assert(
      asyncProperty(mutatedBytes([original]), async (bytes) => {
        writeFileSync(file, bytes)
        for (const row of rowsIn(file)) expect(rows).toContain(row)
        const found = findTableRow(file, Buffer.from('key 7'))
        expect(Object.keys(found)).toHaveLength(1)
        const table = checkTable(file, original.length)
        const isDamaged = 'problem' in table || (await checkBlocks(table)) !== undefined
        expect(isDamaged).toBe(!bytes.equals(original))
        fileHoldsPrefix(file, [Buffer.from('key 7')])
      }),
      { numRuns: some.numRuns },
    )
  },
  some.timeoutMs,
)

test(
  'a changed log gives rows of the log or problems',
  () => {
    const rowsIn = (file: string): readonly string[] => {
      const rows = readLogRows(
        file,
        () => undefined,
        () => undefined,
      )
      return Array.from(rows, ({ key, value }) => asText({ key, value, sequence: 0 }))
    }
    const rows = new Set(rowsIn(files.log))
    const file = join(directory, 'changed.log')
    assert(
      property(mutatedBytes([readFileSync(files.log)]), (bytes) => {
        writeFileSync(file, bytes)
        for (const row of rowsIn(file)) expect(rows).toContain(row)
      }),
      { numRuns: some.numRuns },
    )
  },
  some.timeoutMs,
)

test(
  'a changed MANIFEST gives a version or a problem with its file',
  () => {
    const original = readFileSync(files.manifest)
    assert(
      property(mutatedBytes([original]), (bytes) => {
        writeFileSync(files.manifest, bytes)
        const manifest = readManifest(directory)
        if ('problem' in manifest) expect(manifest.file).toContain('MANIFEST')
      }),
      { numRuns: some.numRuns },
    )
    writeFileSync(files.manifest, original)
  },
  some.timeoutMs,
)
