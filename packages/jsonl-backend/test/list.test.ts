import type { Backend } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { array, assert, asyncProperty, boolean, constantFrom, string, tuple } from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Entry } from '../src/session-index/entry.ts'
import { SortedSessions } from '../src/session-index/sorted-sessions.ts'
import { encodeFileName } from '../src/format/file-name.ts'
import { appendMessages, listAll, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const ENTRY: Entry = { stat: undefined, committed: undefined, error: undefined, saved: false }

class Sessions {
  readonly entries = new Map<string, Entry>()
  readonly sorted = new SortedSessions(this.entries)
  readonly keys = new Set<string>()

  add(key: string): void {
    this.entries.set(encodeFileName(key), { ...ENTRY })
    this.sorted.changed(encodeFileName(key))
    this.keys.add(key)
  }

  remove(key: string): void {
    this.entries.delete(encodeFileName(key))
    this.sorted.changed(encodeFileName(key))
    this.keys.delete(key)
  }

  async listed(): Promise<string[]> {
    return (await this.sorted.list()).map(({ session }) => session)
  }

  get inByteOrder(): string[] {
    return [...this.keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  }
}

test('sessions are listed in the byte order of their keys, whatever came and went since the last listing', async () => {
  const key = string({ unit: constantFrom('a', 'B', '9', 'é', '\uffee', '😀'), minLength: 1, maxLength: 4 })
  await assert(
    asyncProperty(array(array(tuple(key, boolean()))), async (rounds) => {
      const sessions = new Sessions()
      for (const round of rounds) {
        for (const [name, isAdded] of round) {
          if (isAdded) sessions.add(name)
          else sessions.remove(name)
        }
        expect(await sessions.listed()).toEqual(sessions.inByteOrder)
      }
    }),
  )
})

test('thousands are sorted in turns, and a session that came before a listing began is in it', async () => {
  const sessions = new Sessions()
  for (let index = 0; index < 15_001; index++) sessions.add(`session ${(index * 7919) % 15_001}`)
  const first = sessions.listed()
  const turn = new Promise((resolve) => setImmediate(() => resolve('others had a turn')))
  expect(await Promise.race([first, turn])).toBe('others had a turn')
  sessions.add('session 3a')
  sessions.remove('session 4')
  const second = sessions.listed()
  expect(await second).toEqual(sessions.inByteOrder)
  expect(await first).toHaveLength(15_001)
  expect(await sessions.listed()).toEqual(sessions.inByteOrder)
})

test('sessions that come and go before anybody lists are not kept in mind', async () => {
  const sessions = new Sessions()
  for (const key of ['stays', 'goes']) sessions.add(key)
  await sessions.listed()
  sessions.remove('goes')
  for (let index = 0; index < 20_000; index++) {
    sessions.add(`passing ${index}`)
    sessions.remove(`passing ${index}`)
  }
  sessions.add('new')
  const looks = vi.spyOn(sessions.entries, 'get')
  expect(await sessions.listed()).toEqual(['new', 'stays'])
  expect(looks.mock.calls.length).toBeLessThan(2000)
})

test('sessions that go while a listing is sorted are not in the next, however many others come and go', async () => {
  const sessions = new Sessions()
  for (let index = 0; index < 5000; index++) sessions.add(`session ${index}`)
  const first = sessions.listed()
  for (let index = 0; index < 5000; index++) sessions.remove(`session ${index}`)
  for (let index = 0; index < 20_000; index++) {
    sessions.add(`passing ${index}`)
    sessions.remove(`passing ${index}`)
  }
  await first
  expect(await sessions.listed()).toEqual([])
})

interface Doubtful {
  readonly backend: Backend
  /** From then on the disk works again. */
  readonly heal: () => void
}

/** Three sessions; an append to the second was written, but not surely, and cannot be taken back. */
async function openWithOutcomeUnknown(): Promise<Doubtful> {
  const fileSystem = new SimulatedFileSystem()
  const backend = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
  await backend.open()
  const heal = (): void => {
    fileSystem.fault = () => undefined
  }
  onTestFinished(async () => {
    heal()
    await backend.close()
  })
  for (const session of ['a', 'b', 'c']) await appendMessages(backend, session, 0, 1)
  fileSystem.fault = (_operation, kind) => {
    if (kind === 'write') return 'late EIO'
    return kind === 'truncate' || kind === 'open' ? 'EIO' : undefined
  }
  await expect(appendMessages(backend, 'b', 1, 1)).rejects.toMatchObject({ code: 'IO' })
  return { backend, heal }
}

test.each<[string, (backend: Backend) => Promise<unknown>]>([
  ['the head of its session', (backend) => backend.head('b')],
  ['a read of it', (backend) => readAll(backend, 'b')],
  ['a list', listAll],
  ['a verify of all sessions', async (backend) => backend.maintenance?.verify()],
  ['a verify of it', async (backend) => backend.maintenance?.verify({ session: 'b' })],
])('as long as a write is in doubt, %s is IO, and then what was acknowledged', async (_what, look) => {
  const { backend, heal } = await openWithOutcomeUnknown()
  await expect(look(backend)).rejects.toMatchObject({ code: 'IO', session: 'b' })
  await expect(look(backend)).rejects.toMatchObject({ code: 'IO', session: 'b' })
  heal()
  await look(backend)
  expect(await backend.head('b')).toMatchObject({ last: 1 })
  expect(await readAll(backend, 'b')).toEqual([message(1)])
  expect(await listAll(backend)).toMatchObject([{ last: 1 }, { session: 'b', last: 1 }, { last: 1 }])
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
})

test('a list tells of all other sessions before it says that one is in doubt', async () => {
  const { backend } = await openWithOutcomeUnknown()
  const listed: string[] = []
  const list = async (): Promise<void> => {
    for await (const heads of backend.list()) listed.push(...heads.map(({ session }) => session))
  }
  await expect(list()).rejects.toMatchObject({ code: 'IO', session: 'b' })
  expect(listed).toEqual(['a', 'c'])
  expect(await readAll(backend, 'a')).toHaveLength(1)
  expect((await backend.maintenance?.verify({ session: 'c' }))?.problems).toEqual([])
})
