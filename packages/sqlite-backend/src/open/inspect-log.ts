import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

import type { OpenFinding } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'

import { inspectLogBytes } from '../format/log-file.ts'
import { parseLogIndex } from '../format/log-index.ts'

/** A log that somebody writes to changes between two looks; one that nobody writes to is looked at once more. */
const MAX_LOOKS = 20
const PAUSE_MS = 10

type Verdict = 'fine' | 'torn' | 'damaged'

interface Look {
  readonly verdict: Verdict
  readonly committed: number
  /** What was seen, to be compared with the next look. */
  readonly seen: string
}

/**
 * Looks at the log that a killed process has left, before SQLite does: SQLite reads it up to the first damaged frame,
 * and what stands behind is gone without a word.
 *
 * The index beside the log says how many frames were committed, which an append that was acknowledged can be told by.
 *
 * @throws `CORRUPT` where acknowledged appends are damaged and the store says that it keeps them (`sync`)
 */
export async function inspectLog(path: string, durability: 'sync' | 'os'): Promise<readonly OpenFinding[]> {
  const file = `${path}-wal`
  let look = lookAtLog(path)
  for (let looks = 1; look.verdict !== 'fine'; looks++) {
    await setTimeout(PAUSE_MS)
    const again = lookAtLog(path)
    if (again.seen === look.seen) break
    if (looks === MAX_LOOKS) return [] // somebody is writing to it, so there is nothing to recover
    look = again
  }
  if (look.verdict === 'fine') return []
  if (look.verdict === 'torn') {
    return [
      { kind: 'torn-tail', message: 'The log ends in a transaction that was not finished; it is left out.', file },
    ]
  }
  const message = `${file} is damaged behind ${look.committed} of its pages, and appends that were acknowledged lie there.`
  if (durability === 'os') return [{ kind: 'lost-tail', message, file }]
  throw new StoreError(
    'CORRUPT',
    `${message} Restore it from a backup, or run \`turnlog repair\`, which gives them up.`,
    {
      file,
    },
  )
}

function lookAtLog(path: string): Look {
  const bytes = readIfThere(`${path}-wal`)
  if (bytes === undefined || bytes.length === 0) return { verdict: 'fine', committed: 0, seen: '' }
  const log = inspectLogBytes(bytes)
  // Whoever has the store open in this process would lose its locks when its index is closed after reading; and then
  // nothing will be recovered.
  const index = isOpenHere(path) ? undefined : parseLogIndex(readIfThere(`${path}-shm`))
  const acknowledged = index !== undefined && index.salt === log.salt ? index.frames : undefined
  const isDamaged = acknowledged === undefined ? log.laterCommits > 0 : log.committed < acknowledged
  const verdict = isDamaged ? 'damaged' : log.hasMore ? 'torn' : 'fine'
  const seen = `${bytes.length} ${log.salt} ${log.committed} ${index?.salt} ${index?.frames}`
  return { verdict, committed: log.committed, seen }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Where the system does not tell, it is taken for open: the log alone is looked at then. */
function isOpenHere(path: string): boolean {
  try {
    return readdirSync('/proc/self/fd').some((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path)
      } catch {
        return false // closed meanwhile
      }
    })
  } catch {
    return true
  }
}
