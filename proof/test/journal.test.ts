import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { Journal } from '../src/child/journal.ts'
import { readJournal } from '../src/model/read-journal.ts'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnlog-journal-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('what follows half a line, left by a writer that was killed, is not glued to it', () => {
  const path = join(directory, 'journal')
  const first = new Journal(path)
  first.write({ t: 'ready' })
  first.close()
  appendFileSync(path, '{"t":"done","key":"la')
  const second = new Journal(path)
  second.write({ t: 'closed' })
  second.close()
  expect([...readJournal(path)]).toEqual([{ t: 'ready' }, { t: 'closed' }])
})
