import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { fileIdentity, isAnotherFile } from '../../src/process-lock/file-identity.ts'

const OVERLAY = 0x794c7630
const TMPFS = 0x01021994

test.runIf(process.platform === 'linux')(
  'a file with other numbers is another one, unless an overlay may have shown them',
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'turnlog-file-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const file = join(directory, 'file')
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
