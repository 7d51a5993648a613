import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { fileIdentity, isAnotherFile } from '../src/lock/file-identity.ts'
import { temporaryDirectory } from './sample-store.ts'

const OVERLAY = 0x794c7630
const TMPFS = 0x01021994

test.runIf(process.platform === 'linux')(
  'a file with other numbers is another one, unless an overlay may have shown them',
  () => {
    const file = join(temporaryDirectory(), 'file')
    writeFileSync(file, '')
    const own = fileIdentity(file)
    const other = { ...own, inode: '1' }
    expect(isAnotherFile(file, own)).toBe(false)
    expect(isAnotherFile(file, other)).toBe(true)
    expect(isAnotherFile(file, { ...other, fileSystem: own.fileSystem === TMPFS ? 0xef53 : TMPFS })).toBe(true)
    const { fileSystem, ...old } = other
    expect(isAnotherFile(file, old)).toBe(false)
    expect(isAnotherFile(file, { ...other, fileSystem: OVERLAY })).toBe(fileSystem === OVERLAY)
  },
)
