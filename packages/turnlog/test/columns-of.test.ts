import { expect, test } from 'vitest'
import { columnsOf } from '../src/output/columns-of.ts'
import { fit } from '../src/output/fit.ts'

test.each([
  ['plain text', 10],
  ['Zürich', 6],
  ['Zu\u0308rich', 6],
  ['漢字', 4],
  ['ﾊﾛｰ', 3],
  ['한국', 4],
  ['🙂', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['🇮🇹', 2],
  ['❤️', 2],
  ['1️⃣', 2],
  ['a\u200Bb', 2],
  ['→ ✓ –', 5],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns)
})

test('what is cut is not wider than asked, and no character is cut in two', () => {
  expect(fit('漢字漢字', 6)).toBe('漢字…')
  expect(fit('a👩‍👩‍👧‍👦b👩‍👩‍👧‍👦c', 5)).toBe('a👩‍👩‍👧‍👦b…')
  expect(fit('short', 5)).toBe('short')
})
