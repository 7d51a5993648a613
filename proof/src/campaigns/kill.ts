import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import type { BackendName } from '../child/make-backend.ts'
import type { WriterTask } from '../child/writer-task.ts'
import { parallel } from '../machine/parallel.ts'
import { startChild } from '../machine/start-child.ts'
import { Oracle } from '../model/oracle.ts'
import { Random } from '../random.ts'

/** Kills that one store has to live through before the next begins. */
const LIVES = 25
const WIDTH = 3

/** Writers ended with SIGKILL at random moments: while opening, recovering, writing, compacting. */
export const kill: Campaign = {
  name: 'kill',
  title: 'Writers killed with SIGKILL at random moments',
  async run(context) {
    const outcomes: Outcome[] = []
    for (const backend of context.backends) outcomes.push(await killBackend(context, backend))
    return outcomes
  },
}

async function killBackend(context: CampaignContext, backend: BackendName): Promise<Outcome> {
  const kills = context.attempts(60, 5_000)
  const lives = Math.min(LIVES, Math.ceil(kills / WIDTH))
  const stores = Math.ceil(kills / lives)
  const seeds = Array.from({ length: stores }, () => context.random.seed())
  const violations: string[] = []
  const directory = context.directory()
  let done = 0
  let acknowledged = 0
  const hasTime = context.budget()
  await parallel({ count: stores, width: WIDTH, hasTime }, async (index) => {
    const seed = seeds[index] ?? 0
    const path = join(directory, `${backend}-${index}`)
    const random = new Random(seed)
    const oracle = new Oracle()
    // One store in five does not wait for the disk: the death of a process must not cost it anything either.
    const durability = index % 5 === 4 ? 'os' : 'sync'
    for (let life = 0; life <= lives; life++) {
      const journal = `${path}.${life}.journal`
      const isLast = life === lives || !hasTime()
      const verify = isLast || life % 5 === 0
      const task: WriterTask = {
        backend,
        path,
        durability,
        journal,
        seed: random.seed(),
        tag: `${life}`,
        lanes: 6,
        verify,
        ...(isLast ? { operations: 1 } : {}),
      }
      const child = startChild('writer', task)
      if (!isLast) {
        // Most of them while they write, some while they still start, open and recover.
        if (random.chance(0.8)) {
          await child.ready
          await delay(random.next() * 200)
        } else await delay(random.next() * 400)
        child.process.kill('SIGKILL')
      }
      const ended = await child.ended
      const episode = oracle.judge(journal)
      rmSync(journal, { force: true })
      const say = (text: string): void => {
        violations.push(`${backend}, store seed ${seed}, after kill ${life}: ${text}`)
      }
      for (const violation of episode.violations) say(violation)
      if (episode.refusal !== undefined) say(`cannot be opened: ${episode.refusal.code}: ${episode.refusal.message}`)
      if (ended.signal !== 'SIGKILL' && ended.code !== 0) say(`the writer ended by itself: ${ended.errorText}`)
      acknowledged += episode.acknowledged
      if (!isLast) done += 1
      if (!isLast && done % 50 === 0)
        context.progress(`${backend}: ${done} of ${stores * lives} kills, ${violations.length} violations`)
      if (episode.violations.length > 0 || episode.refusal !== undefined) return // this store is done for
      if (isLast) break
    }
    rmSync(path, { recursive: true, force: true })
  })
  return {
    campaign: 'kill',
    backend,
    promise: 'What was acknowledged survives the death of the process; every append is there whole or not at all',
    attempts: done,
    unit: 'kills',
    violations,
    note: `${acknowledged} acknowledged operations`,
  }
}
