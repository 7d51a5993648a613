import { rmSync } from 'node:fs'
import { join } from 'node:path'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import type { BackendName } from '../child/make-backend.ts'
import type { WriterTask } from '../child/writer-task.ts'
import { Checker } from '../machine/checker.ts'
import { parallel } from '../machine/parallel.ts'
import type { CallPoint } from '../machine/strace.ts'
import { listCalls, runInjected } from '../machine/strace.ts'
import { hasTool } from '../machine/tools.ts'
import { Oracle } from '../model/oracle.ts'

const WIDTH = 3
const PROMISE =
  'A process that dies at any single system call of a run leaves a store with everything acknowledged in it'

/** A scripted run, ended with SIGKILL just before each of its system calls on the store, one run per call. */
export const killPoints: Campaign = {
  name: 'kill-points',
  title: 'Writers killed at every system call of a scripted run',
  async run(context) {
    const outcomes: Outcome[] = []
    for (const backend of context.backends) {
      outcomes.push(hasTool('strace', '-V') ? await killEverywhere(context, backend) : skippedOutcome(backend))
    }
    return outcomes
  },
}

function skippedOutcome(backend: BackendName): Outcome {
  const skipped = 'strace is not installed'
  return { campaign: 'kill-points', backend, promise: PROMISE, attempts: 0, unit: 'kills', violations: [], skipped }
}

async function killEverywhere(context: CampaignContext, backend: BackendName): Promise<Outcome> {
  const directory = context.directory({ inMemory: true })
  const seed = context.random.seed()
  const script = (path: string): WriterTask => ({
    backend,
    path,
    journal: `${path}.journal`,
    seed,
    tag: 's',
    lanes: 2,
    operations: context.long ? 100 : 20,
    verify: false,
  })
  const placeOf = (slot: string): string => join(directory, `${backend}-${slot}`)
  const points = await listCalls(script(placeOf('count')), placeOf('trace'))
  const most = context.attempts(40, Infinity)
  const share = most / points.length
  const chosen = points.filter(() => share >= 1 || context.random.chance(share))
  const violations: string[] = []
  const checker = new Checker()
  let killed = 0
  let repeated = 0
  let done = 0
  await parallel({ count: chosen.length, width: WIDTH, hasTime: context.budget() }, async (index) => {
    const { call, file, n, ordinal, isRandomName } = chosen[index] as CallPoint
    const path = placeOf(String(index))
    const task = script(path)
    const oracle = new Oracle()
    const ended = await runInjected(task, {
      call,
      files: isRandomName ? [] : [`${path}${file}`],
      fault: 'signal=KILL',
      when: String(isRandomName ? ordinal : n),
    })
    const wasKilled = ended.signal === 'SIGKILL' || ended.code === 137
    if (wasKilled) killed++
    const say = (text: string): void => {
      violations.push(`${backend}, seed ${seed}, killed at ${call} ${n} of ${file || 'the directory'}: ${text}`)
    }
    const first = oracle.judge(task.journal)
    for (const violation of first.violations) say(violation)
    if (first.refusal !== undefined) say(`the first opening failed: ${first.refusal.code}: ${first.refusal.message}`)
    const retries = oracle.retries()
    const again = { ...task, journal: `${path}.journal2`, tag: 's2', operations: 2, verify: true, retries }
    const death = await checker.run(again)
    const second = oracle.judge(again.journal)
    for (const violation of second.violations) say(`afterwards ${violation}`)
    if (second.refusal !== undefined) say(`cannot be opened: ${second.refusal.code}: ${second.refusal.message}`)
    else if (death !== undefined || !second.isClosed) say(`the next writer did not close: ${death ?? ''}`)
    repeated += second.repeated
    for (const leftover of [path, task.journal, again.journal]) rmSync(leftover, { recursive: true, force: true })
    done++
    if (done % 100 === 0)
      context.progress(
        `${backend}: ${done} of ${chosen.length} points, ${killed} killed, ${violations.length} violations`,
      )
  })
  await checker.end()
  if (killed < done / 2) {
    violations.push(`${backend}: only ${killed} of ${done} runs were killed: the harness does not do its work`)
  }
  return {
    campaign: 'kill-points',
    backend,
    promise: PROMISE,
    attempts: killed,
    unit: `kills at ${done} of ${points.length} system calls`,
    violations,
    note: `${repeated} calls that were not answered were repeated with their id`,
  }
}
