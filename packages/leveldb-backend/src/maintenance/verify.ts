import { isStoreError, StoreError } from '@turnlog/core/backend'
import type { BackendVerifyReport, MaintenanceOptions } from '@turnlog/core/backend'

import type { Database } from '../database/database.ts'
import { SessionKeys } from '../format/row-keys.ts'
import { readStoreRows } from '../format/store-rows.ts'
import { Findings } from './findings.ts'
import { StoreWalk } from './store-walk.ts'
import { verifyNext } from './verify-next.ts'

/** Far more than it takes: each time the session must have been written to, and another one erased. */
const MAX_LOOKS = 100
/** An erasure may come each time. Then the next verify counts. */
const MAX_COUNTS = 3

/**
 * Reads every row, and judges each session by one snapshot. An erasure or a reopening ends the snapshot, and heads and
 * events that were read around it are of different times. If a session then looks wrong, a new walk begins with it.
 */
export async function verifyStore(database: Database, options: MaintenanceOptions = {}): Promise<BackendVerifyReport> {
  const report = new Findings()
  try {
    await walkStore(database, options, report)
  } catch (error) {
    if (!isStoreError(error, 'CORRUPT')) throw error
    report.addError(error)
  }
  const { sessions, events, bytes, problems } = report
  return { sessions, events, bytes, problems }
}

async function walkStore(database: Database, options: MaintenanceOptions, report: Findings): Promise<void> {
  const { session: only, signal, onProgress } = options
  const first = new StoreWalk(database, { only })
  let walk = first
  let looks = 1
  /** Read before the walk that began with it. */
  let before: HeadOf | undefined
  try {
    const rows = await report.attempt(() => readStoreRows(database, first.snapshot))
    if (only === undefined) await report.attempt(() => database.checkTables())
    for (;;) {
      signal?.throwIfAborted()
      const found = new Findings()
      const session = await verifyNext(walk, found)
      if (session === undefined) break
      if (found.problems.length === 0 || walk.isOfOneTime || (await isStill(database, session, before))) {
        report.take(found)
        looks = 1
        onProgress?.(report.sessions, Math.max(report.sessions, rows?.sessions ?? 0))
        continue
      }
      if (looks === MAX_LOOKS) throw neverStill(session)
      looks++
      await walk.close()
      before = await headOf(database, session)
      walk = new StoreWalk(database, { from: session, only })
    }
    if (only !== undefined || rows === undefined) return
    if (walk === first && walk.isOfOneTime) compareCount(report.heads, rows.sessions, report)
    else await countAgain(database, report)
  } finally {
    await walk.close()
  }
}

interface HeadOf {
  readonly session: string
  readonly value: Buffer | undefined
}

async function headOf(database: Database, session: string): Promise<HeadOf> {
  const [value] = await database.values([new SessionKeys(session).head])
  return { session, value }
}

/**
 * Whether the session is as it was before anything of it was read: whatever changes a session changes its head. The head
 * of the walk says nothing about that, because events are read ahead of heads and the other way round.
 */
async function isStill(database: Database, session: string, before: HeadOf | undefined): Promise<boolean> {
  if (before?.session !== session) return false
  const { value } = await headOf(database, session)
  return before.value === undefined || value === undefined ? before.value === value : before.value.equals(value)
}

async function countAgain(database: Database, report: Findings): Promise<void> {
  for (let count = 1; count <= MAX_COUNTS; count++) {
    const walk = new StoreWalk(database)
    try {
      const { sessions } = await readStoreRows(database, walk.snapshot)
      let heads = 0
      for (; (await walk.heads.peek()) !== undefined; walk.heads.skip()) heads++
      if (walk.isOfOneTime) return compareCount(heads, sessions, report)
    } finally {
      await walk.close()
    }
  }
}

function compareCount(heads: number, sessions: number, report: Findings): void {
  if (heads !== sessions) report.add({ message: `There are ${heads} heads, but the store says ${sessions} sessions.` })
}

function neverStill(session: string): StoreError {
  return new StoreError(
    'CONFLICT',
    `Cannot verify session ${JSON.stringify(session)}: it was written to, and others were erased, each of ${MAX_LOOKS} times that it was looked at. Retry later.`,
    { session },
  )
}
