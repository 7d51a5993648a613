import type * as fs from 'node:fs'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

import { findLevelOwner } from '../src/lock/find-level-owner.ts'

const links = vi.hoisted(() => ({ areAllowed: true }))

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>()
  return {
    ...original,
    symlinkSync: (...args: Parameters<typeof original.symlinkSync>) => {
      if (!links.areAllowed) throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' })
      original.symlinkSync(...args)
    },
  }
})

test.each([true, false])(
  'a store that nobody has open has no owner, and nothing is left of the question (links %s)',
  async (areAllowed) => {
    const directory = mkdtempSync(join(tmpdir(), 'turnlog-owner-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    writeFileSync(join(directory, 'LOCK'), '')
    links.areAllowed = areAllowed
    expect(await findLevelOwner(directory)).toBeUndefined()
    expect(readdirSync(directory)).toEqual(['LOCK'])
  },
)
