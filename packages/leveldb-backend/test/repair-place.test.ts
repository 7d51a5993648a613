import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { putInPlace } from '../src/maintenance/put-in-place.ts'
import { fileContents, grow, openBackend, temporaryDirectory } from './sample-store.ts'

test('if the repaired store cannot take its place, the damaged one is where it was', () => {
  const path = temporaryDirectory()
  writeFileSync(join(path, 'mark'), '')
  const made = `${path}.repaired`
  expect(() => putInPlace(made, path, `${path}.damaged`)).toThrow(expect.objectContaining({ code: 'IO' }) as Error)
  expect(readdirSync(dirname(path))).toEqual([basename(path)])
  expect(readdirSync(path)).toEqual(['mark'])
  mkdirSync(made)
  putInPlace(made, path, `${path}.damaged`)
  expect(readdirSync(path)).toEqual([])
  expect(readdirSync(`${path}.damaged`)).toEqual(['mark'])
})

const canMount = (() => {
  const probe = process.platform === 'linux' && spawnSync('unshare', ['--mount', 'true']).status === 0
  return probe && process.getuid?.() === 0
})()

test.runIf(canMount)('a mount point is refused before the work, with what to do instead (needs rights)', async () => {
  const path = temporaryDirectory()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', path])
  expect(mounted.status, mounted.stderr.toString()).toBe(0)
  onTestFinished(() => void spawnSync('umount', [path]))
  const backend = await openBackend(path)
  await grow(backend, 's', 3)
  await backend.close()
  rmSync(join(path, 'turnlog.anchor'))
  const before = fileContents(path)
  let steps = 0
  const onProgress = (): void => {
    steps++
  }
  await expect(backend.maintenance?.repair({ apply: true, onProgress })).rejects.toMatchObject({
    code: 'IO',
    message: expect.stringContaining('Copy it') as string,
  })
  expect(steps).toBe(0)
  expect(fileContents(path)).toEqual(before)
  expect((await backend.maintenance?.repair())?.actions).toHaveLength(1)
})
