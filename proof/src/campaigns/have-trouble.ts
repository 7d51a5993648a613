import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { Random } from '@turnlog/conformance/random'

import type { CampaignContext, Outcome } from '../campaign.ts'
import { PIPED_JOURNAL } from '../child/journal.ts'
import type { BackendName } from '../child/make-backend.ts'
import type { WriterTask } from '../child/writer-task.ts'
import type { Checker } from '../machine/checker.ts'
import { parallel } from '../machine/parallel.ts'
import type { Child } from '../machine/start-child.ts'
import { startChild } from '../machine/start-child.ts'
import { Oracle } from '../model/oracle.ts'
import { judgeEpisode, reopen } from './judge-episode.ts'
import type { Trouble } from './troubles.ts'

/** How many writers do not get out of their trouble alive. */
const KILLED = 0.3

/**
 * A writer gets into trouble, is refused for a while, gets out of it, appends some more, and is looked at anew. Some are
 * killed in the midst of it: what a store does to get well again must bear that, too.
 */
export async function haveTrouble(
  context: CampaignContext,
  backend: BackendName,
  trouble: Trouble,
  checker: Checker,
): Promise<Outcome> {
  const { promise, unit } = trouble
  const row = { campaign: 'io-errors', backend, promise, unit }
  const skipped = trouble.whyNot()
  if (skipped !== undefined) return { ...row, attempts: 0, violations: [], skipped }
  const directory = context.directory({ inMemory: true })
  const count = context.attempts(...trouble.counts)
  const seeds = Array.from({ length: count }, () => context.random.seed())
  const violations: string[] = []
  let done = 0
  let failures = 0
  let refusing = 0
  let excused = 0
  let killed = 0
  await parallel({ count, width: 2, hasTime: context.budget() }, async (index) => {
    const seed = seeds[index] ?? 0
    const random = new Random(seed)
    const place = join(directory, `${backend}-${index}`)
    const path = trouble.prepare(place, random)
    try {
      const journal = join(directory, `${backend}-${index}.journal`)
      const script = { backend, path, seed, tag: 'a', lanes: 3, operations: 60, thenAppend: 100, verify: false }
      const task: WriterTask = { ...script, journal }
      const say = (text: string): void => void violations.push(`${backend}, ${unit} ${index}, seed ${seed}: ${text}`)
      const oracle = new Oracle()
      const child = startChild('writer', [{ ...task, journal: PIPED_JOURNAL }], { journalTo: journal })
      await child.ready
      trouble.begin(child, random)
      await refusedFor(child, journal, random.next() * 300)
      const isKilled = random.chance(KILLED) && child.process.kill('SIGKILL')
      if (isKilled) await child.ended
      trouble.end(child, place)
      const { code, signal, errorText } = await child.ended
      const first = oracle.judge(journal)
      failures += first.failures
      const violated = first.violations.filter((text) => trouble.excuses?.test(text) !== true)
      excused += first.violations.length - violated.length
      judgeEpisode({ ...first, violations: violated }, say)
      if (signal === 'SIGKILL' && isKilled) killed++
      else if (code !== 0) say(`the writer ended with ${signal ?? code}: ${errorText}`)
      if (first.endsInFailure && !isKilled) refusing++
      await reopen(checker, oracle, task, say)
      rmSync(journal, { force: true })
      rmSync(path, { recursive: true, force: true })
      done++
    } finally {
      trouble.cleanUp(place)
    }
  })
  if (done > 20 && failures === 0)
    violations.push(`${backend}, ${unit}: no call ever failed: the harness does not work`)
  const note = `${failures} writes and ${excused} reads were refused; ${killed} were killed meanwhile; ${refusing} runs ended refusing writes until reopened`
  return { ...row, attempts: done, violations, note }
}

/** Waits until the first call has been refused, and a little longer; or until the child has ended, which it may. */
async function refusedFor(child: Child, journal: string, thenMs: number): Promise<void> {
  const over = new AbortController()
  void child.ended.finally(() => over.abort())
  const isRefused = (): boolean => existsSync(journal) && /"t":"(?:failed|refused)"/.test(readFileSync(journal, 'utf8'))
  while (!over.signal.aborted && !isRefused()) await delay(10)
  await Promise.race([delay(thenMs), child.ended])
}
