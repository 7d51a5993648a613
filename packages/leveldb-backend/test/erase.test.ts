import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

import { ClassicLevel } from 'classic-level'
import { expect, onTestFinished, test, vi } from 'vitest'

import { filesWith, grow, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

const MARKER = 'only-in-the-erased-one'

/** A store with a session that is to be erased, in a table and in the log. */
async function openWithVictim(path: string): Promise<Awaited<ReturnType<typeof openBackend>>> {
  const backend = await openBackend(path, { compression: false })
  await grow(backend, 'other', 3)
  await grow(backend, MARKER, 5, { extra: { secret: MARKER } })
  await backend.close()
  await backend.open()
  await grow(backend, MARKER, 5, { extra: { secret: MARKER } })
  return backend
}

/** The compaction after so many others fails. */
function failCompaction(others: number): void {
  const compactRange = Reflect.get(ClassicLevel.prototype, 'compactRange') as ClassicLevel['compactRange']
  let before = others
  vi.spyOn(ClassicLevel.prototype, 'compactRange').mockImplementation(function (this: ClassicLevel, ...range) {
    before--
    return before === -1 ? Promise.reject(new Error('input/output error')) : compactRange.apply(this, range)
  })
}

test.each([0, 1, 2, 3])('an erasure that fails after %i compactions is finished by erasing again', async (others) => {
  const path = temporaryDirectory()
  const backend = await openWithVictim(path)
  failCompaction(others)
  await expect(backend.erase(MARKER, 10)).rejects.toMatchObject({ code: 'IO' })
  expect(filesWith(path, MARKER)).not.toEqual([])
  expect(await backend.head(MARKER)).toBeUndefined()
  await expect(backend.erase(MARKER, 10)).rejects.toMatchObject({ code: 'CONFLICT', actual: 0 })
  await backend.erase(MARKER, 0)
  expect(filesWith(path, MARKER)).toEqual([])
  expect(await readAll(backend, 'other')).toHaveLength(3)
  expect(await backend.maintenance?.verify()).toMatchObject({ sessions: 1, problems: [] })
})

test('an erasure that failed is finished after reopening as well', async () => {
  const path = temporaryDirectory()
  const backend = await openWithVictim(path)
  failCompaction(2)
  await expect(backend.erase(MARKER, 10)).rejects.toMatchObject({ code: 'IO' })
  await backend.close()
  await backend.open()
  expect(filesWith(path, MARKER)).not.toEqual([])
  await backend.erase(MARKER, 0)
  expect(filesWith(path, MARKER)).toEqual([])
})

test('an erasure for which there is no room changes nothing', async () => {
  const backend = await openWithVictim(temporaryDirectory())
  const full = vi
    .spyOn(fs, 'statfsSync')
    .mockReturnValue({ bavail: 0, bsize: 4096 } as ReturnType<typeof fs.statfsSync>)
  syncBuiltinESMExports()
  onTestFinished(() => {
    full.mockRestore()
    syncBuiltinESMExports()
  })
  await expect(backend.erase(MARKER, 10)).rejects.toMatchObject({ code: 'IO' })
  expect(await readAll(backend, MARKER)).toHaveLength(10)
})

test('erasing what never was compacts nothing', async () => {
  const backend = await openWithVictim(temporaryDirectory())
  const compact = vi.spyOn(ClassicLevel.prototype, 'compactRange')
  await backend.erase('nobody', 0)
  await backend.erase(MARKER.slice(0, -1), 0)
  expect(compact).not.toHaveBeenCalled()
})

test.each([1, 2, 3, 4, 5, 6])('erase leaves no byte of a session in any file (seed %i)', async (seed) => {
  const path = temporaryDirectory()
  let state = seed
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const small = { compression: false, writeBufferBytes: 65_536, maxFileBytes: 1_048_576, durability: 'os' } as const
  const backend = await openBackend(path, small)
  const marker = `marker-${seed}-${random(1e9)}`
  const other = (): Promise<number> =>
    grow(backend, `other-${random(9)}`, 1 + random(30), { extra: { pad: 'x'.repeat(random(3000)) } })
  for (let round = random(40); round > 0; round--) await other()
  for (let round = random(20); round >= 0; round--) {
    await grow(backend, marker, 1 + random(40), { extra: { secret: marker } })
    if (random(2) === 0) await other()
  }
  for (let round = random(40); round > 0; round--) await other()
  if (seed % 2 === 0) await grow(backend, marker, 40, { trimBefore: 30, extra: { secret: marker } })
  // LevelDB may just be moving a log into a table, and neither is found in that moment.
  await expect.poll(() => filesWith(path, marker)).not.toEqual([])
  const standing = backend.read(marker, [{ from: 1, to: 10_000 }])[Symbol.asyncIterator]()
  await standing.next()
  const last = (await backend.head(marker))?.last ?? 0
  await backend.erase(marker, last)
  expect(filesWith(path, marker)).toEqual([])
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
  await backend.close()
  await backend.open()
  expect(filesWith(path, marker)).toEqual([])
  expect(await backend.head(marker)).toBeUndefined()
})

test('sessions are erased side by side, while another one grows, is trimmed and is read', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path, { writeBufferBytes: 65_536, durability: 'os' })
  const extra = { pad: 'x'.repeat(500) }
  const doomed = Array.from({ length: 6 }, (_, index) => `doomed-${index}`)
  for (const session of doomed) await grow(backend, session, 100, { extra })
  const erased = new AbortController()
  const living = (async () => {
    while (!erased.signal.aborted) {
      const last = await grow(backend, 'living', 300, { extra })
      await grow(backend, 'living', 1, { trimBefore: last - 5 })
      expect(await readAll(backend, 'living')).toHaveLength(7)
    }
  })()
  await Promise.all(doomed.map((session) => backend.erase(session, 100)))
  erased.abort()
  await living
  expect(filesWith(path, 'doomed')).toEqual([])
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
})
