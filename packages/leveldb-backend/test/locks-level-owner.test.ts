import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { findLevelOwner } from '../src/lock/find-level-owner.ts'

function refuse(): never {
  throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' })
}

test.each([true, false])(
  'a store that nobody has open has no owner, and nothing is left of the question (links %s)',
  async (areAllowed) => {
    const directory = mkdtempSync(join(tmpdir(), 'turnlog-owner-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    writeFileSync(join(directory, 'LOCK'), '')
    let asked = 0
    const makeLink: typeof symlinkSync = (...args) => {
      asked++
      if (!areAllowed) refuse()
      symlinkSync(...args)
    }
    expect(await findLevelOwner(directory, makeLink)).toBeUndefined()
    expect(asked).toBe(1)
    expect(readdirSync(directory)).toEqual(['LOCK'])
  },
)
