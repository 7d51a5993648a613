import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findStore } from '@turnlog/storage-kit'
import { expect, onTestFinished, test } from 'vitest'

test('what lies at a path is told apart', () => {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-place-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const found = (...path: string[]): string =>
    findStore(join(directory, ...path), (names) => names.includes('MARK')).found
  writeFileSync(join(directory, 'file'), '')
  for (const name of ['store', 'empty', 'volume', 'other']) mkdirSync(join(directory, name))
  writeFileSync(join(directory, 'store', 'MARK'), '')
  mkdirSync(join(directory, 'volume', 'lost+found'))
  writeFileSync(join(directory, 'other', 'photo.jpg'), '')
  expect(found('nothing')).toBe('missing')
  expect(found('file')).toBe('file')
  expect(found('file', 'below')).toBe('missing')
  expect(found('empty')).toBe('empty')
  expect(found('volume')).toBe('empty')
  expect(found('other')).toBe('other')
  expect(found('store')).toBe('store')
})
