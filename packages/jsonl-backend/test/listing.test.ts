import { array, assert, asyncProperty, boolean, constantFrom, string, tuple } from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Entry } from '../src/catalogue/entry.ts'
import { SortedSessions } from '../src/catalogue/sorted-sessions.ts'
import { encodeFileName } from '../src/format/file-name.ts'

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
