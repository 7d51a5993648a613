import { isDamage, listIntactSessions, StoreError } from '@turnlog/core/backend'
import type { Backend, SessionHead } from '@turnlog/core/backend'
import { backendLog, LogMoved } from './session-log.ts'
import type { SessionOutcome, TransferOptions, TransferReport } from './transfer-report.ts'
import { TransferTally } from './transfer-report.ts'
import { writeSession } from './write-session.ts'

/** Sessions that are written at a time, so that they share what a durable write costs. */
const CONCURRENT_SESSIONS = 16

/** How often a session is begun again because it was trimmed or erased under the copy. */
const ATTEMPTS = 5

/**
 * Copies every session from one backend to another, event by event, with seq, id, time and projection; also sessions
 * that were compacted or deleted. What was written is read back and compared. A copy that was interrupted goes on when
 * it is called again; a session of the target that is not a part of its source is reported and never changed.
 *
 * Both backends are open, and stay open. `from` may be in use: each session is copied as it is at one moment.
 *
 * @throws whatever the target refuses or fails with; what is wrong with a single session is in the report
 *
 * @example
 * ```ts
 * const report = await copyStore(from, to)
 * if (!report.ok) console.error(report.problems)
 * ```
 */
export async function copyStore(from: Backend, to: Backend, options: TransferOptions = {}): Promise<TransferReport> {
  if (from === to) throw new StoreError('INVALID_ARGUMENT', 'Cannot copy a store onto itself. Give two backends.')
  const { onProgress, signal } = options
  signal?.throwIfAborted()
  let total = 0
  for await (const _head of listIntactSessions(from, {}, () => ++total)) total++
  const tally = new TransferTally(onProgress, total)
  let group: SessionHead[] = []
  const copyGroup = async (): Promise<void> => {
    // All have come to an end before a failure is told, so that the next copy does not meet this one.
    const outcomes = await Promise.allSettled(group.map((head) => copySession(from, to, head, signal)))
    for (const [index, { session }] of group.entries()) {
      const outcome = outcomes[index] as PromiseSettledResult<SessionOutcome>
      if (outcome.status === 'rejected') throw outcome.reason
      tally.add(session, outcome.value)
    }
    group = []
  }
  const fail = (damage: StoreError): void => tally.add(damage.session ?? '', failed(damage))
  for await (const head of listIntactSessions(from, {}, fail)) {
    signal?.throwIfAborted()
    group.push(head)
    if (group.length === CONCURRENT_SESSIONS) await copyGroup()
  }
  await copyGroup()
  return tally.report()
}

async function copySession(
  from: Backend,
  to: Backend,
  listed: SessionHead,
  signal: AbortSignal | undefined,
): Promise<SessionOutcome> {
  const { session } = listed
  let head: SessionHead = listed
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await writeSession(to, backendLog(from, head), signal)
    } catch (error) {
      if (isDamage(error)) return failed(error, session)
      if (!(error instanceof LogMoved)) throw error
      const now = await from.head(session)
      if (now === undefined) return { status: 'already-there', events: 0 } // erased meanwhile: there is nothing to copy
      head = { session, ...now }
    }
  }
  const message = `Session ${JSON.stringify(session)} was trimmed ${ATTEMPTS} times while it was copied. Copy again.`
  return { status: 'failed', problem: { session, code: 'IO', message } }
}

function failed({ code, message, session = '' }: StoreError, copied = session): SessionOutcome {
  return { status: 'failed', problem: { session: copied, code, message } }
}
