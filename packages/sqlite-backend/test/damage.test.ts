import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { isStoreError } from '@turnlog/core/backend'
import { expect, test } from 'vitest'

import {
  contentsOf,
  describeSqlite,
  flip,
  grow,
  makeBackend,
  openBackend,
  temporaryDirectory,
  writeSample,
} from './sample-store.ts'

const IS_THOROUGH = process.env['TURNLOG_THOROUGH'] === '1'
/** Every so many bits; a prime, so that all places of a byte and of a page are met. */
const STEP = IS_THOROUGH ? 1 : 1201

describeSqlite('damage', () => {
  test('no flipped bit of the file changes anything silently', { timeout: 7_200_000 }, async () => {
    const directory = temporaryDirectory()
    const whole = join(directory, 'whole.db')
    await writeSample(whole)
    const backend = await openBackend(whole)
    const expected = await contentsOf(backend)
    await backend.close()
    const copy = join(directory, 'copy.db')
    const wrong: string[] = []
    for (let bit = 0; bit < statSync(whole).size * 8; bit += STEP) {
      copyFileSync(whole, copy)
      flip(copy, Math.floor(bit / 8), bit % 8)
      const verdict = await judge(copy, expected)
      if (verdict !== undefined) wrong.push(`bit ${bit}: ${verdict}`)
    }
    expect(wrong).toEqual([])
  })

  test('a database whose log is gone is not continued where it no longer agrees with itself', async () => {
    const directory = temporaryDirectory()
    const path = join(directory, 'sessions.db')
    const backend = await openBackend(path)
    await grow(backend, 's', 50)
    await backend.maintenance?.reclaim()
    await grow(backend, 's', 3)
    const copy = join(directory, 'copy.db')
    copyFileSync(path, copy) // without its log
    const older = await openBackend(copy)
    expect((await older.head('s'))?.last).toBe(50)
    expect((await older.maintenance?.verify())?.problems).toEqual([])
  })
})

/** @returns what is wrong */
async function judge(path: string, expected: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const backend = makeBackend(path)
  try {
    await backend.open()
    const found = await contentsOf(backend)
    return JSON.stringify(found) === JSON.stringify(expected) ? undefined : 'something else, silently'
  } catch (error) {
    if (isStoreError(error, 'CORRUPT') || isStoreError(error, 'UNSUPPORTED')) return undefined
    return String(error)
  } finally {
    await backend.close()
  }
}
