import { existsSync, readFileSync } from 'node:fs'

import type { JournalRecord } from './record.ts'

/** A journal may end in half a line: that was never said. */
export function* readJournal(path: string): Generator<JournalRecord> {
  if (!existsSync(path)) return
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) yield JSON.parse(line) as JournalRecord
}
