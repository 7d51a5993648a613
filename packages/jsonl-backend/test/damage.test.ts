import { copyFile, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '@turnlog/core'
import type { Backend, EventRecord } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { copyStore } from '@turnlog/transfer'
import { describe, expect, test } from 'vitest'
import { appendMessages, listAll, readAll, scratchDirectory } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

interface Opened {
  readonly backend: Backend
  readonly directory: string
  readonly file: string
}

/** A store that stays open, with three events in two batches. */
async function openSample(): Promise<Opened> {
  const directory = await scratchDirectory()
  const backend = jsonlBackend({ path: directory })
  await backend.open()
  await appendMessages(backend, 'chat', 0, 1)
  await appendMessages(backend, 'chat', 1, 2)
  return { backend, directory, file: join(directory, 'chat.jsonl') }
}

async function readReversed(backend: Backend): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  for await (const batch of backend.read('chat', [{ from: 1, to: 3 }], { reverse: true })) events.push(...batch)
  return events
}

describe('a file that became shorter while it is open', () => {
  test('is CORRUPT for whoever reads it, forwards and backwards, wherever it was cut', async () => {
    const { backend, file } = await openSample()
    const good = await readFile(file)
    const secondLine = good.indexOf('{"seq":2')
    for (const size of [good.length - 1, secondLine + 20, secondLine, good.indexOf('{"seq":1') + 20, 150, 1, 0]) {
      await truncate(file, size)
      await expect(readAll(backend, 'chat'), `${size} bytes`).rejects.toMatchObject({ code: 'CORRUPT' })
      await expect(readReversed(backend), `${size} bytes`).rejects.toMatchObject({ code: 'CORRUPT' })
    }
    await backend.close()
  })

  test('is looked at again before the next append', async () => {
    const { backend, file } = await openSample()
    await truncate(file, (await readFile(file)).indexOf('{"seq":2'))
    await expect(appendMessages(backend, 'chat', 3, 1)).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    await backend.close()
  })

  test('is CORRUPT when the store is opened again, although nobody looked at it before the store was closed', async () => {
    const { backend, file } = await openSample()
    const good = await readFile(file)
    await truncate(file, good.indexOf('{"seq":2'))
    await backend.close()
    await backend.open()
    await expect(backend.head('chat')).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    await backend.close()
    // What is known of it is not forgotten by those who cannot use it.
    await backend.open({ readOnly: true })
    await expect(listAll(backend)).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    await backend.close()
    await writeFile(file, good)
    await backend.open()
    expect(await readAll(backend, 'chat')).toHaveLength(3)
    await backend.close()
  })
})

describe('a file that was moved aside while it is open', () => {
  test('gets no further events: those go to the copy that has its name, as after saving in an editor', async () => {
    const { backend, file } = await openSample()
    const good = await readFile(file)
    await rename(file, `${file}~`)
    await copyFile(`${file}~`, file)
    await appendMessages(backend, 'chat', 3, 1)
    await appendMessages(backend, 'chat', 4, 1)
    expect(await readAll(backend, 'chat')).toHaveLength(5)
    await backend.close()
    expect(await readFile(`${file}~`)).toEqual(good)
    await backend.open()
    expect(await readAll(backend, 'chat')).toHaveLength(5)
    await backend.close()
  })

  test('is CORRUPT if what has its name lacks acknowledged events, now and when the store is opened again', async () => {
    const { backend, file } = await openSample()
    const good = await readFile(file)
    await rename(file, `${file}~`)
    await writeFile(file, good.subarray(0, good.indexOf('{"seq":2')))
    await expect(appendMessages(backend, 'chat', 3, 1)).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    await backend.close()
    await backend.open()
    await expect(readAll(backend, 'chat')).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    await backend.close()
  })

  test('is missed as CORRUPT by reads, appends and verify, until it is back', async () => {
    const { backend, file } = await openSample()
    await rename(file, `${file}~`)
    await expect(readAll(backend, 'chat')).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    await expect(appendMessages(backend, 'chat', 3, 1)).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
    expect((await backend.maintenance?.verify())?.problems).toMatchObject([{ session: 'chat', file }])
    await rename(`${file}~`, file)
    await appendMessages(backend, 'chat', 3, 1)
    expect(await readAll(backend, 'chat')).toHaveLength(4)
    await backend.close()
  })
})

test('a file that was removed while it is open is CORRUPT when the store is opened again', async () => {
  const { backend, file } = await openSample()
  await rm(file)
  await backend.close()
  await backend.open()
  await expect(backend.head('chat')).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat' })
  await expect(appendMessages(backend, 'chat', 0, 1)).rejects.toMatchObject({ code: 'CORRUPT' })
  await backend.close()
})

test('a file that appears under the name of a new session is not overwritten', async () => {
  const { backend, directory, file } = await openSample()
  const good = await readFile(file)
  await backend.close()
  await rm(join(directory, 'turnlog.heads'))
  await rm(file)
  await backend.open()
  expect(await backend.head('chat')).toBe(undefined)
  await writeFile(file, good)
  await expect(appendMessages(backend, 'chat', 0, 1)).rejects.toMatchObject({ code: 'CONFLICT', actual: 3 })
  await appendMessages(backend, 'chat', 3, 1)
  expect(await readAll(backend, 'chat')).toHaveLength(4)
  await backend.close()
})

test('a file that its own store is erasing is missed by nobody who reads meanwhile', async () => {
  const fileSystem = new SimulatedFileSystem()
  const backend = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
  await backend.open()
  await appendMessages(backend, 'chat', 0, 3)
  const remove = fileSystem.remove.bind(fileSystem)
  let read: Promise<EventRecord[]> | undefined
  fileSystem.remove = async (path) => {
    await remove(path)
    // The name is gone, and the session does not know it yet.
    if (path.endsWith('/chat.jsonl')) read = readAll(backend, 'chat')
    await Promise.resolve()
  }
  await backend.erase('chat', 3)
  expect(await read).toEqual([])
  await backend.close()
})

const SESSIONS = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const DAMAGED = ['b', 'd', 'e']

/** Some files cannot be told to be of any session by what is in them. */
async function damagedStore(): Promise<Backend> {
  const fileSystem = new SimulatedFileSystem()
  const make = (): Backend => jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
  const backend = make()
  await backend.open()
  for (const session of SESSIONS) await appendMessages(backend, session, 0, 1)
  await backend.close()
  await fileSystem.remove('/store/turnlog.heads')
  for (const session of DAMAGED) {
    const file = `/store/${session}.jsonl`
    const content = Buffer.from(fileSystem.content(file))
    content[0] = 0x58
    fileSystem.replaceContent(file, content)
  }
  return make()
}

describe('sessions whose header is damaged', () => {
  test('are each named by a listing in pages, which gives all others', async () => {
    const store = await openStore(await damagedStore())
    const found = new Set<string>()
    const named = new Set<string | undefined>()
    for (let after: string | undefined, isEnd = false; !isEnd;) {
      isEnd = true
      try {
        for await (const { key } of store.listSessions({ limit: 1, ...(after === undefined ? {} : { after }) })) {
          found.add(key)
          after = key
          isEnd = false
        }
      } catch (error) {
        const { session } = error as { session?: string }
        named.add(session)
        after = session
        isEnd = false
      }
    }
    expect([...found].sort()).toEqual(['a', 'c', 'f', 'g'])
    expect([...named]).toEqual(DAMAGED)
    expect((await store.verify()).sessions).toBe(SESSIONS.length)
    await store.close()
  })

  test('are each counted as failed by a copy, which copies all others', async () => {
    const from = await damagedStore()
    await from.open()
    const to = memoryBackend()
    await to.open()
    const report = await copyStore(from, to)
    expect(report.counts.failed).toBe(DAMAGED.length)
    expect(report.problems).toMatchObject(DAMAGED.map((session) => ({ session })))
    await from.close()
  })
})
