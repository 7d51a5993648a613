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
    before -= 1
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
