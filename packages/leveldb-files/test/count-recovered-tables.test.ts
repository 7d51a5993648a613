import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { countRecoveredTables, listFiles, logName, parseLog } from '@turnlog/leveldb-files'
import type { LogRecord } from '@turnlog/leveldb-files'
import { ClassicLevel } from 'classic-level'
import { expect, test } from 'vitest'

import { temporaryDirectory } from './temporary-directory.ts'

const WRITE_BUFFER_BYTES = 64 * 1024
const LOG_BYTES = 512 * 1024

async function writeLog(path: string, rowBytes: number): Promise<void> {
  const level = new ClassicLevel(path, { writeBufferSize: 16 * 1024 * 1024 })
  await level.open()
  const rows = Math.ceil(LOG_BYTES / (rowBytes + 20))
  for (let row = 0; row < rows; row += 16) {
    const batch = level.batch()
    for (let next = row; next < row + 16; next++) {
      const key = String(next).padStart(15, '0')
      if (rowBytes === 0) batch.del(key)
      else batch.put(key, 'x'.repeat(rowBytes))
    }
    await batch.write()
  }
  await level.close()
}

/** LevelDB's own text log. It names the tables that LevelDB makes of logs, before a compaction can join them. */
async function tablesMade(path: string): Promise<number> {
  const level = new ClassicLevel(path, { writeBufferSize: WRITE_BUFFER_BYTES })
  await level.open()
  await level.close()
  return readFileSync(join(path, 'LOG'), 'latin1').match(/Level-0 table #\d+: started/g)?.length ?? 0
}

function recordsIn(path: string): readonly LogRecord[] {
  return listFiles(path).logs.flatMap((number) => parseLog(readFileSync(join(path, logName(number)))).records)
}

test.each([0, 1, 20, 300, 820, 980, 1030, 5000])(
  'LevelDB makes no more tables of a log than expected, with rows of %i bytes',
  async (rowBytes) => {
    const path = temporaryDirectory()
    await writeLog(path, rowBytes)
    const expected = countRecoveredTables(recordsIn(path), WRITE_BUFFER_BYTES)
    const made = await tablesMade(path)
    expect(made).toBeGreaterThan(3)
    expect(made).toBeLessThanOrEqual(expected)
    expect(expected).toBeLessThan(made * 2)
  },
)

test('each log makes a table of its own, and none makes none', async () => {
  const path = temporaryDirectory()
  await writeLog(path, 1000)
  const [first] = recordsIn(path)
  if (first === undefined) throw new Error('there must be a record')
  expect(countRecoveredTables([], WRITE_BUFFER_BYTES)).toBe(0)
  expect(countRecoveredTables([first, first, first], WRITE_BUFFER_BYTES)).toBe(3)
})
