import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test, vi } from 'vitest'

import { VERIFIED_TABLES_FILE, tableState } from '../src/files/verified-tables-file.ts'
import { inspectStore } from '../src/files/inspect-store.ts'
import { listStoreFiles } from '../src/files/store-files.ts'
import { filesNamed, fileContents, grow, openBackend, temporaryDirectory, writeSample } from './sample-store.ts'

const hasBootId = process.platform === 'linux'

async function knownTables(path: string): Promise<number> {
  const { tables } = await inspectStore(path, listStoreFiles(path))
  return tables.filter(({ sizes }) => sizes === undefined).length
}

async function sampleWithTables(): Promise<{ path: string; tables: readonly string[] }> {
  const path = temporaryDirectory()
  await writeSample(path)
  const tables = filesNamed(path, /\.ldb$/)
  expect(tables.length).toBeGreaterThan(0)
  return { path, tables }
}

function flip(file: string, offset: number): void {
  const descriptor = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  readSync(descriptor, byte, 0, 1, offset)
  writeSync(descriptor, Buffer.of((byte[0] ?? 0) ^ 0x10), 0, 1, offset)
  closeSync(descriptor)
}

/** Notes that somebody could only have written who wanted to deceive. */
function claimKnown(path: string): void {
  const file = join(path, VERIFIED_TABLES_FILE)
  const [head = ''] = readFileSync(file, 'utf8').split('\n')
  const states = Array.from(listStoreFiles(path).tables, ([number, name]) =>
    tableState(number, statSync(join(path, name), { bigint: true })),
  )
  writeNotes(file, [head, ...states])
}

function writeNotes(file: string, lines: readonly string[]): void {
  const text = [...lines, ''].join('\n')
  writeFileSync(file, `${text}${crc32(text).toString(16).padStart(8, '0')}\n`)
}

test.runIf(hasBootId)('tables that were closed in order need not be checked at the next opening', async () => {
  const { path, tables } = await sampleWithTables()
  expect(await knownTables(path)).toBe(tables.length)
})

test.runIf(hasBootId)(
  'tables are noted while the store is open, so that a kill does not cost a check of all of them',
  async () => {
    const path = temporaryDirectory()
    const backend = await openBackend(path, { durability: 'os', writeBufferBytes: 64 * 1024, compression: false })
    const extra = { text: 'x'.repeat(8 * 1024) }
    // What a killed process leaves is what lies in the directory at any moment.
    await vi.waitFor(async () => {
      await grow(backend, 'a', 10, { extra })
      expect(filesNamed(path, /\.ldb$/).length).toBeGreaterThan(2)
      expect(readFileSync(join(path, VERIFIED_TABLES_FILE), 'utf8').split('\n').length - 3).toBeGreaterThan(2)
    }, 30_000)
  },
)

test('a table that was written to since is found damaged, whichever byte it was, and is whole again when it is put back', async () => {
  const { path, tables } = await sampleWithTables()
  const backend = leveldbBackend({ path })
  for (const file of tables) {
    const { size } = statSync(file)
    for (let offset = 0; offset < size; offset += 13) {
      flip(file, offset)
      await expect(backend.open(), `byte ${offset} of ${file}`).rejects.toMatchObject({ code: 'CORRUPT', file })
      flip(file, offset)
    }
  }
  await backend.open()
  await backend.close()
})

test('another file in the place of a table is not taken for it', async () => {
  const { path, tables } = await sampleWithTables()
  const [file = ''] = tables
  const { atime, mtime } = statSync(file)
  copyFileSync(file, `${file}.copy`)
  flip(`${file}.copy`, 20)
  utimesSync(`${file}.copy`, atime, mtime)
  renameSync(`${file}.copy`, file)
  await expect(leveldbBackend({ path }).open()).rejects.toMatchObject({ code: 'CORRUPT', file })
})

test.each([
  ['of another start of the machine', (lines: readonly string[]) => [`turnlog tables 1 another`, ...lines.slice(1)]],
  [
    'of a newer format',
    (lines: readonly string[]) => [(lines[0] ?? '').replace('tables 1', 'tables 2'), ...lines.slice(1)],
  ],
])('notes %s count for nothing', async (_, change) => {
  const { path } = await sampleWithTables()
  const file = join(path, VERIFIED_TABLES_FILE)
  writeNotes(file, change(readFileSync(file, 'utf8').split('\n').slice(0, -2)))
  expect(await knownTables(path)).toBe(0)
})

test('notes that are damaged or gone count for nothing, and the store opens', async () => {
  const { path } = await sampleWithTables()
  const file = join(path, VERIFIED_TABLES_FILE)
  const bytes = readFileSync(file)
  for (let offset = 0; offset < bytes.length; offset++) {
    writeFileSync(file, bytes)
    flip(file, offset)
    expect(await knownTables(path), `byte ${offset}`).toBe(0)
    writeFileSync(file, bytes.subarray(0, offset))
    expect(await knownTables(path), `cut at ${offset}`).toBe(0)
  }
  rmSync(file)
  expect(await knownTables(path)).toBe(0)
  const backend = await openBackend(path)
  await grow(backend, 'a', 1)
})

test.runIf(hasBootId)(
  'verify reads also the tables that are known to be right, and names the one that is not',
  async () => {
    const { path, tables } = await sampleWithTables()
    const [file = ''] = tables
    flip(file, 20)
    claimKnown(path)
    const before = fileContents(path).get(file.slice(path.length + 1))
    const backend = await openBackend(path)
    const { problems } = (await backend.maintenance?.verify()) ?? { problems: [] }
    expect(problems).toContainEqual(expect.objectContaining({ file }))
    // From then on nothing is written: a compaction would meet it.
    await expect(grow(backend, 'new', 1)).rejects.toMatchObject({ code: 'CORRUPT', file })
    await backend.close()
    expect(fileContents(path).get(file.slice(path.length + 1))).toEqual(before)
  },
)
