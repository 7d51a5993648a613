import fs, { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test, vi } from 'vitest'

import { fileContents, readStore, repair, temporaryDirectory, writeSample } from './sample-store.ts'

/** A repair after whose first rename nothing can be renamed any more, as if it had been killed there. */
async function breakOff(path: string): Promise<void> {
  const rename = fs.renameSync
  let isBroken = false
  const broken = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (isBroken) throw new Error('input/output error')
    rename(from, to)
    isBroken = from === path
  })
  syncBuiltinESMExports()
  try {
    await expect(repair(leveldbBackend({ path }))).rejects.toMatchObject({ code: 'IO' })
  } finally {
    broken.mockRestore()
    syncBuiltinESMExports()
  }
}

/** The store as it was, and what is beside it after such a repair. */
async function writeUnfinished(path: string): Promise<{ sessions: object; repaired: string; damaged: string }> {
  await writeSample(path)
  const { sessions } = await readStore(path)
  rmSync(join(path, 'turnlog.anchor'))
  await breakOff(path)
  const beside = readdirSync(dirname(path)).map((name) => join(dirname(path), name))
  const [damaged = '', repaired = ''] = beside.toSorted()
  expect(beside.toSorted()).toEqual([`${path}.damaged-${timeOf(damaged)}`, `${path}.repaired-${timeOf(damaged)}`])
  return { sessions, repaired, damaged }
}

function timeOf(path: string): string {
  return basename(path).replace(/^.*?-/, '')
}

test.each(['missing', 'empty'])(
  'after a repair that was broken off at its last step, no store is made where the directory is %s',
  async (state) => {
    const path = temporaryDirectory()
    const { sessions, repaired, damaged } = await writeUnfinished(path)
    if (state === 'empty') mkdirSync(path)
    const backend = leveldbBackend({ path })
    const refusal = { code: 'CORRUPT', file: repaired, message: expect.stringContaining(damaged) as string }
    await expect(backend.open()).rejects.toMatchObject(refusal)
    await expect(backend.open({ readOnly: true })).rejects.toMatchObject(refusal)
    await expect(repair(backend)).rejects.toMatchObject(refusal)
    expect(existsSync(path) ? readdirSync(path) : state).toEqual(state === 'empty' ? [] : 'missing')
    if (state === 'empty') rmSync(path, { recursive: true })
    renameSync(repaired, path)
    expect((await readStore(path)).sessions).toEqual(sessions)
  },
)

test('the next repair of a store removes what one that was killed has left beside it, and nothing else', async () => {
  const path = temporaryDirectory()
  await writeSample(path)
  const left = (name: string): void => {
    mkdirSync(join(dirname(path), name))
    writeFileSync(join(dirname(path), name, '000003.log'), 'what somebody said')
  }
  left('store.repaired-2026-01-01T00-00-00-000Z')
  const others = [
    'store.repaired-by-hand',
    'other.repaired-2026-01-01T00-00-00-000Z',
    'store.damaged-2026-02-02T00-00-00-000Z',
    'store.repaired-2026-02-02T00-00-00-000Z',
  ]
  for (const name of others) left(name)
  const before = fileContents(path)
  await leveldbBackend({ path }).maintenance?.repair()
  expect(readdirSync(dirname(path))).toHaveLength(others.length + 2)
  await repair(leveldbBackend({ path }))
  expect(readdirSync(dirname(path)).toSorted()).toEqual([...others, 'store'].toSorted())
  expect(fileContents(path)).toEqual(before)
})
