import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import type { FileStat, FileSystem } from '@turnlog/jsonl-backend/testing'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { SessionIndex } from '../src/session-index/session-index.ts'
import { countingFileSystem } from './counting-file-system.ts'
import { appendMessages, listAll, message, readAll, scratchDirectory } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

interface Pair {
  readonly directory: string
  readonly writer: Backend
  readonly reader: Backend
}

/** A writer, and a reader that was opened when there was no session yet. */
async function openPair(): Promise<Pair> {
  const directory = await scratchDirectory()
  const writer = jsonlBackend({ path: directory, durability: 'os' })
  await writer.open()
  const reader = jsonlBackend({ path: directory })
  await reader.open({ readOnly: true })
  onTestFinished(async () => {
    await reader.close()
    await writer.close()
  })
  return { directory, writer, reader }
}

describe('a list of a reader beside a writer', () => {
  test('has every session that was there before, however many lists and reads look at them at once', async () => {
    const { writer, reader } = await openPair()
    for (let index = 0; index < 40; index++) await appendMessages(writer, `session-${index}`, 0, 1)
    const lists = await Promise.all([listAll(reader), listAll(reader), listAll(reader)])
    expect(lists.map(({ length }) => length)).toEqual([40, 40, 40])
    await appendMessages(writer, 'new', 0, 1)
    const [head, list, events] = await Promise.all([reader.head('new'), listAll(reader), readAll(reader, 'new')])
    expect([head?.last, list.length, events.length]).toEqual([1, 41, 1])
  })

  test('goes on after a damaged file was taken away', async () => {
    const { directory, writer, reader } = await openPair()
    await appendMessages(writer, 'good', 0, 1)
    const damaged = join(directory, 'bad.jsonl')
    await writeFile(damaged, 'not a session\n')
    await expect(listAll(reader)).rejects.toMatchObject({ code: 'CORRUPT', file: damaged })
    await rm(damaged)
    expect(await listAll(reader)).toMatchObject([{ session: 'good' }])
    expect(await reader.maintenance?.verify()).toMatchObject({ sessions: 1, problems: [] })
  })

  test('does not take a session away that came while the directory was being listed', async () => {
    const fileSystem = new SimulatedFileSystem()
    const writer = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
    await writer.open()
    const sessionIndex = new SessionIndex({ fileSystem, directory: '/store', durability: 'sync', write: false })
    await sessionIndex.load(false)
    const list = fileSystem.list.bind(fileSystem)
    fileSystem.list = async (directory) => {
      const names = await list(directory)
      fileSystem.list = list
      await appendMessages(writer, 'new', 0, 1)
      expect(await sessionIndex.reload('new.jsonl')).toMatchObject({ head: { last: 1 } })
      return names
    }
    await sessionIndex.refreshNames()
    expect(sessionIndex.has('new.jsonl')).toBe(true)
    await writer.close()
  })
})

test('a reader follows a session whose old file has a second name in a backup', async () => {
  const { directory, writer, reader } = await openPair()
  await appendMessages(writer, 'chat', 0, 10)
  await appendMessages(writer, 'chat', 10, 1, { trimBefore: 6 })
  expect(await reader.head('chat')).toMatchObject({ first: 6, last: 11 })
  await mkdir(join(directory, 'backup'))
  await link(join(directory, 'chat.jsonl'), join(directory, 'backup', 'chat.jsonl'))
  await writer.maintenance?.reclaim()
  await appendMessages(writer, 'chat', 11, 2)
  expect(await reader.head('chat')).toMatchObject({ first: 6, last: 13 })
  expect(await listAll(reader)).toMatchObject([{ session: 'chat', last: 13 }])
  expect(await reader.head('chat')).toMatchObject({ first: 6, last: 13 })
  expect(await readAll(reader, 'chat')).toHaveLength(8)
  await writer.erase('chat', 13)
  expect(await reader.head('chat')).toBe(undefined)
})

test('a reader does not look for lines where a file with the same number once had them', async () => {
  const simulated = new SimulatedFileSystem()
  const writer = jsonlBackendWith({ path: '/store' }, { fileSystem: simulated, host: simulatedHost(1) })
  await writer.open()
  const write = async (life: string, sizes: readonly number[]): Promise<void> => {
    for (const [last, size] of sizes.entries()) {
      const event = message(last + 1, life.repeat(size))
      await writer.append('chat', { last, incarnation: life }, [event], { messages: last + 1 })
    }
  }
  const seqs = Array.from({ length: 30 }, (_, index) => index + 1)
  await write(
    'x',
    seqs.map(() => 20_000),
  )
  await appendMessages(writer, 'other', 0, 1)
  // Every file has the same number here, which others have when the number is given to the next file.
  const { fileSystem } = countingFileSystem(simulated)
  const renumber = <S extends FileStat | undefined>(stat: S): S => stat && { ...stat, inode: 7 }
  const reused: FileSystem = {
    ...fileSystem,
    open: async (path, options) => {
      const file = await fileSystem.open(path, options)
      return { ...file, stat: () => renumber(file.stat()) }
    },
    statNow: (path) => renumber(fileSystem.statNow(path)),
  }
  const reader = jsonlBackendWith({ path: '/store', maxOpenFiles: 1 }, { fileSystem: reused, host: simulatedHost(1) })
  await reader.open({ readOnly: true })
  expect(await readAll(reader, 'chat')).toHaveLength(30)
  expect(await readAll(reader, 'other')).toHaveLength(1)
  await writer.erase('chat', 30)
  await write(
    'y',
    seqs.map((seq) => (seq % 2 === 0 ? 100 : 50_000)),
  )
  const found: number[] = []
  for await (const batch of reader.read('chat', [{ from: 20, to: 22 }])) found.push(...batch.map(({ seq }) => seq))
  expect(found).toEqual([20, 21, 22])
  await reader.close()
  await writer.close()
})

test.each(['just before', 'just after'])(
  'a reader that verifies finds no damage in a file that the writer rewrites %s it is opened',
  async (moment) => {
    const simulated = new SimulatedFileSystem()
    const writer = jsonlBackendWith({ path: '/store' }, { fileSystem: simulated, host: simulatedHost(1) })
    await writer.open()
    await appendMessages(writer, 'chat', 0, 50)
    let isDue = false
    const rewrite = async (when: string): Promise<void> => {
      if (!isDue || when !== moment) return
      isDue = false
      await appendMessages(writer, 'chat', 50, 1, { trimBefore: 51 })
      await writer.maintenance?.reclaim()
      await appendMessages(writer, 'chat', 51, 70)
    }
    const { fileSystem } = countingFileSystem(simulated)
    const raced: FileSystem = {
      ...fileSystem,
      open: async (path, options) => {
        await rewrite('just before')
        const file = await fileSystem.open(path, options)
        await rewrite('just after')
        return file
      },
    }
    const reader = jsonlBackendWith({ path: '/store' }, { fileSystem: raced, host: simulatedHost(1) })
    await reader.open({ readOnly: true })
    isDue = true
    expect((await reader.maintenance?.verify())?.problems).toEqual([])
    expect(isDue).toBe(false)
    expect(await reader.maintenance?.verify()).toMatchObject({ events: 71, problems: [] })
    await reader.close()
    await writer.close()
  },
)

describe('a reader that saw more than there is', () => {
  test('goes on with what was acknowledged if the writer has taken an append back', async () => {
    const simulated = new SimulatedFileSystem()
    const { fileSystem } = countingFileSystem(simulated)
    const reader = jsonlBackendWith({ path: '/store' }, { fileSystem: simulated, host: simulatedHost(1) })
    let seen: number | undefined
    let isDiskBad = false
    const failing: FileSystem = {
      ...fileSystem,
      open: async (path, options) => {
        const file = await fileSystem.open(path, options)
        const write = async (buffer: Uint8Array, position: number): Promise<number> => {
          const taken = await file.write(buffer, position)
          if (!isDiskBad) return taken
          isDiskBad = false
          seen = (await reader.head('chat'))?.last
          throw Object.assign(new Error('the sync failed'), { code: 'EIO' })
        }
        return { ...file, write }
      },
    }
    const writer = jsonlBackendWith({ path: '/store' }, { fileSystem: failing, host: simulatedHost(1) })
    await writer.open()
    await appendMessages(writer, 'chat', 0, 3)
    await reader.open({ readOnly: true })
    expect(await reader.head('chat')).toMatchObject({ last: 3 })
    isDiskBad = true
    await expect(appendMessages(writer, 'chat', 3, 1)).rejects.toMatchObject({ code: 'IO' })
    expect(seen).toBe(4)
    expect(await reader.head('chat')).toMatchObject({ last: 3 })
    expect(await readAll(reader, 'chat')).toHaveLength(3)
    expect(await listAll(reader)).toMatchObject([{ session: 'chat', last: 3 }])
    await appendMessages(writer, 'chat', 3, 2)
    expect(await readAll(reader, 'chat')).toHaveLength(5)
    await reader.close()
    await writer.close()
  })

  test.each([true, false])('finds the file CORRUPT if no writer was there (sidecar: %s)', async (keep) => {
    const fileSystem = new SimulatedFileSystem()
    const writer = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
    await writer.open()
    await appendMessages(writer, 'chat', 0, 3)
    await appendMessages(writer, 'chat', 3, 1)
    await writer.close()
    if (!keep) await fileSystem.remove('/store/turnlog.heads')
    const reader = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
    await reader.open({ readOnly: true })
    expect(await reader.head('chat')).toMatchObject({ last: 4 })
    const content = fileSystem.content('/store/chat.jsonl')
    fileSystem.replaceContent('/store/chat.jsonl', content.subarray(0, content.indexOf('{"seq":4')))
    for (let round = 0; round < 2; round++) {
      await expect(reader.head('chat')).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
      await expect(listAll(reader)).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    }
    await reader.close()
  })
})
