import { rmSync } from 'node:fs'

import type { WriterTask } from '../child/writer-task.ts'
import type { Checker } from '../machine/checker.ts'
import type { Episode, Oracle } from '../model/oracle.ts'

/**
 * A JSONL session whose last write the disk left in doubt is not read before its file is back at what was acknowledged:
 * what it would say could be contradicted by the next process.
 */
const OUTCOME_UNKNOWN = /cannot be read: IO: Cannot bring back to its last good state/

/** What a writer may say while its disk fails: refusals, typed; and nothing that contradicts itself. */
export function judgeEpisode({ violations, refusal, isReady }: Episode, say: (text: string) => void): void {
  for (const violation of violations) if (!OUTCOME_UNKNOWN.test(violation)) say(violation)
  if (refusal !== undefined && (refusal.code !== 'IO' || isReady)) say(`open says ${refusal.code}: ${refusal.message}`)
}

/** The disk is well again, and somebody opens the store and goes on. */
export async function reopen(
  checker: Checker,
  oracle: Oracle,
  task: WriterTask,
  say: (text: string) => void,
): Promise<void> {
  const again = { ...task, journal: `${task.journal}2`, tag: 's2', operations: 2, thenAppend: 0, verify: true }
  const retries = oracle.retries()
  const death = await checker.run({ ...again, retries })
  const episode = oracle.judge(again.journal)
  rmSync(again.journal, { force: true })
  for (const violation of episode.violations) say(`after reopening ${violation}`)
  if (episode.refusal !== undefined) say(`cannot be reopened: ${episode.refusal.code}: ${episode.refusal.message}`)
  else if (death !== undefined || !episode.isClosed || episode.endsInFailure) {
    say(`the next writer did not close well, after ${episode.failures} refused calls: ${death ?? ''}`)
  }
}
