import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { Random } from '@turnlog/conformance/random'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import type { ReaderTask } from '../child/reader-main.ts'
import type { WriterTask } from '../child/writer-task.ts'
import { parallel } from '../machine/parallel.ts'
import { startChild } from '../machine/start-child.ts'
import { judgeReader } from '../model/judge-reader.ts'

/** Kills of the writer that one reader lives through. */
const LIVES = 20
const LANES = 2

/** JSONL only: a LevelDB store has one process, and nobody else. */
export const readers: Campaign = {
  name: 'readers',
  title: 'A reader in another process, beside a writer that is killed and started again',
  async run(context) {
    return context.backends.includes('jsonl') ? [await readBeside(context)] : []
  },
}

async function readBeside(context: CampaignContext): Promise<Outcome> {
  const kills = context.attempts(20, 200)
  const directory = context.directory({ inMemory: true })
  const lives = Math.min(LIVES, kills)
  const count = Math.ceil(kills / lives)
  const seeds = Array.from({ length: count }, () => context.random.seed())
  const violations: string[] = []
  const hasTime = context.budget()
  let done = 0
  let reads = 0
  await parallel({ count, width: 2, hasTime }, async (index) => {
    const random = new Random(seeds[index] ?? 0)
    const path = join(directory, `jsonl-${index}`)
    const keys = Array.from({ length: LANES }, (_, lane) => `lane${lane}`)
    const look: ReaderTask = {
      backend: 'jsonl',
      path,
      keys,
      journal: `${path}.reader`,
      writerJournal: `${path}.journal`,
    }
    let reader: ReturnType<typeof startChild> | undefined
    for (let life = 0; life <= lives; life++) {
      const isLast = life === lives || !hasTime()
      const task: WriterTask = {
        backend: 'jsonl',
        path,
        journal: look.writerJournal,
        seed: random.seed(),
        tag: `${life}`,
        lanes: LANES,
        verify: false,
        calm: true,
        ...(isLast ? { operations: 1 } : {}),
      }
      const writer = startChild('writer', [task])
      await writer.ready
      reader ??= startChild('reader', look)
      if (!isLast) {
        await delay(30 + random.next() * 150)
        writer.process.kill('SIGKILL')
        done++
      }
      await writer.ended
      if (isLast) break
    }
    reader?.process.kill('SIGKILL')
    const { errorText = '' } = (await reader?.ended) ?? {}
    const found = judgeReader(look.writerJournal, look.journal)
    reads += found.reads
    for (const problem of found.problems) violations.push(`jsonl, seed ${seeds[index] ?? 0}: ${problem}`)
    if (errorText !== '') violations.push(`jsonl, seed ${seeds[index] ?? 0}: the reader says ${errorText}`)
    context.progress(`${done} of ${count * lives} kills, ${reads} reads, ${violations.length} violations`)
  })
  if (done > 5 && reads === 0) violations.push('jsonl: nothing was ever read: the harness does not do its work')
  return {
    campaign: 'readers',
    backend: 'jsonl',
    promise:
      'A reader in another process sees whole appends in order, whatever was acknowledged before, and nothing that a dead writer takes back',
    attempts: done,
    unit: 'kills of the writer',
    violations,
    note: `${reads} reads`,
  }
}
