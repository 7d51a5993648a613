import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { encodeBatch, encodeLog, fileHoldsPrefix, listFiles } from '@turnlog/leveldb-files'
import { ClassicLevel } from 'classic-level'
import { expect, test } from 'vitest'

import { temporaryDirectory } from './temporary-directory.ts'

/** LevelDB's number of a row whose bytes are those of the key `a`. */
const LIKE_A = Buffer.of(1, 0x03, 0x61, 0x00, 0, 0, 0, 0)
const NEW_FILE = 7
const COMPACT_POINTER = 5

function slice(key: Buffer): Buffer {
  return Buffer.concat([Buffer.of(key.length + LIKE_A.length), key, LIKE_A])
}

function keyOf(name: string): Buffer {
  return Buffer.from(`\u0003${name}\0`)
}

const table = Buffer.concat([Buffer.of(NEW_FILE, 0, 9, 100), slice(keyOf('b')), slice(keyOf('c'))])
const pointer = Buffer.concat([Buffer.of(COMPACT_POINTER, 1), slice(keyOf('d'))])

function writeFile(name: string, bytes: Buffer): string {
  const file = join(temporaryDirectory(), name)
  writeFileSync(file, bytes)
  return file
}

test('a key is found in the MANIFEST among the keys in it, not in numbers that look like one', () => {
  const manifest = writeFile('MANIFEST-000001', encodeLog([table, pointer]))
  for (const name of ['a', 'bb']) expect(fileHoldsPrefix(manifest, [keyOf(name)])).toBe(false)
  for (const name of ['b', 'c', 'd']) expect(fileHoldsPrefix(manifest, [keyOf(name)])).toBe(true)
})

test('a MANIFEST that cannot be understood may hold any key', () => {
  const manifest = writeFile('MANIFEST-000001', encodeLog([table.subarray(0, -1)]))
  expect(fileHoldsPrefix(manifest, [keyOf('a')])).toBe(true)
})

test('a deleted key is found in a log, also behind damage, and in a table until it is compacted away', async () => {
  const batches = ['b', 'c', 'd'].map((name, index) => encodeBatch(index + 1, [{ key: keyOf(name), value: undefined }]))
  const bytes = encodeLog(batches)
  bytes[encodeLog(batches.slice(0, 1)).length] = 77
  const log = writeFile('000001.log', bytes)
  for (const name of ['b', 'd']) expect(fileHoldsPrefix(log, [keyOf(name)])).toBe(true)
  for (const name of ['c', 'a']) expect(fileHoldsPrefix(log, [keyOf(name)])).toBe(false)

  const directory = temporaryDirectory()
  const level = new ClassicLevel(directory)
  for (const name of ['k1', 'k2', 'k3']) await level.put(name, name)
  await level.del('k2')
  await level.close()
  await level.open() // makes a table of the log
  const tables = (): readonly string[] => [...listFiles(directory).tables.values()].map((name) => join(directory, name))
  const holds = (): boolean => tables().some((file) => fileHoldsPrefix(file, [Buffer.from('k2')]))
  expect(tables().length).toBe(1)
  expect(holds()).toBe(true)
  await level.compactRange('k1', 'k3')
  await level.close()
  expect(holds()).toBe(false)
  expect(readFileSync(join(directory, 'CURRENT'), 'latin1')).toContain('MANIFEST')
})
