import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { Random } from '@turnlog/conformance/random'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import type { BackendName } from '../child/make-backend.ts'
import type { WriterTask } from '../child/writer-task.ts'
import { parallel } from '../machine/parallel.ts'
import type { Ended } from '../machine/start-child.ts'
import { startChild } from '../machine/start-child.ts'
import { Oracle } from '../model/oracle.ts'

/** Kills that one store has to live through before the next begins. */
const LIVES = 25
const WIDTH = 3

/** Writers ended with SIGKILL at random moments: while opening, recovering, repeating, writing, compacting. */
export const kill: Campaign = {
  name: 'kill',
  title: 'Writers killed with SIGKILL at random moments, what was not answered repeated afterwards',
  run: killWriters,
}

/** What is known of one backend, over all stores. */
interface Tally {
  readonly backend: BackendName
  readonly violations: string[]
  kills: number
  acknowledged: number
  repeated: number
}

/** One store, written to over many lives. */
interface Subject {
  readonly tally: Tally
  readonly path: string
  readonly oracle: Oracle
  readonly seed: number
}

async function killWriters(context: CampaignContext): Promise<readonly Outcome[]> {
  const kills = context.attempts(60, 5_000) * context.backends.length
  const lives = Math.min(LIVES, Math.ceil(kills / WIDTH))
  const rounds = Math.ceil(kills / lives)
  const seeds = Array.from({ length: rounds }, () => context.random.seed())
  const tallies = context.backends.map((backend): Tally => {
    return { backend, violations: [], kills: 0, acknowledged: 0, repeated: 0 }
  })
  // The page cache outlives a process on any file system: half of them where syncing costs nothing.
  const directories = [context.directory(), context.directory({ inMemory: true })]
  const hasTime = context.budget()
  let done = 0
  await parallel({ count: rounds, width: WIDTH, hasTime }, async (round) => {
    const seed = seeds[round] ?? 0
    const random = new Random(seed)
    const tally = tallies[round % tallies.length] as Tally
    const { backend } = tally
    const place = Math.floor(round / tallies.length)
    const path = join(directories[place % 2] ?? '', `${backend}-${round}`)
    const subject: Subject = { tally, path, oracle: new Oracle(), seed }
    // One store in five does not wait for the disk: the death of a process must not cost it anything either.
    const durability = place % 5 === 4 ? 'os' : 'sync'
    for (let life = 0; life <= lives; life++) {
      const isLast = life === lives || !hasTime()
      const task: WriterTask = {
        backend,
        path,
        durability,
        journal: `${path}.journal`,
        seed: random.seed(),
        tag: `${life}`,
        lanes: 3,
        retries: subject.oracle.retries(),
        verify: isLast || life % 5 === 0,
        ...(isLast ? { operations: 1 } : {}),
      }
      const ended = await live(task, isLast ? undefined : random)
      if (!judge(subject, ended, life)) return // this store is done for, and left as it is
      if (isLast) break
      done++
      if (done % 250 === 0) {
        const found = tallies.reduce((sum, { violations }) => sum + violations.length, 0)
        context.progress(`${done} of ${rounds * lives} kills, ${found} violations`)
      }
    }
    rmSync(path, { recursive: true, force: true })
  })
  return tallies.map(({ backend, violations, kills, acknowledged, repeated }) => ({
    campaign: 'kill',
    backend,
    promise:
      'What was acknowledged survives the death of the process; every append is there whole or not at all; repeated with its id it is there once',
    attempts: kills,
    unit: 'kills',
    violations,
    note: `${acknowledged} acknowledged operations, ${repeated} repeated ones`,
  }))
}

/** A process from its start to its end, which is a kill at a moment that `random` gives, if it is there. */
async function live(task: WriterTask, random: Random | undefined): Promise<Ended> {
  const child = startChild('writer', [task])
  if (random !== undefined) {
    // Most of them while they write, some while they still start, open, recover and repeat.
    if (random.chance(0.75)) {
      await child.ready
      await delay(random.next() ** 2 * 150)
    } else await delay(60 + random.next() * 200)
    child.process.kill('SIGKILL')
  }
  return child.ended
}

/** @returns whether the store can be written to any further */
function judge({ tally, path, oracle, seed }: Subject, ended: Ended, life: number): boolean {
  const journal = `${path}.journal`
  const { violations, refusal, acknowledged, repeated } = oracle.judge(journal)
  rmSync(journal, { force: true })
  const say = (text: string): void => {
    tally.violations.push(`${tally.backend}, seed ${seed}, store ${path}, after kill ${life}: ${text}`)
  }
  for (const violation of violations) say(violation)
  if (refusal !== undefined) say(`cannot be opened: ${refusal.code}: ${refusal.message}`)
  if (ended.signal === 'SIGKILL') tally.kills++
  else if (ended.code !== 0) say(`the writer ended by itself: ${ended.errorText}`)
  tally.acknowledged += acknowledged
  tally.repeated += repeated
  return violations.length === 0 && refusal === undefined
}
