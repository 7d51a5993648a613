import { writeSync } from 'node:fs'

import { Random } from '@turnlog/conformance/random'
import { isStoreError } from '@turnlog/core'

import { endWithParent } from './end-with-parent.ts'
import { coreTargets } from './fuzz-core.ts'
import { jsonlTargets } from './fuzz-jsonl.ts'
import { leveldbTargets } from './fuzz-leveldb.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { SECRET } from './fuzz-target.ts'

interface FuzzTask {
  readonly targets: readonly ('core' | 'leveldb' | 'jsonl')[]
  readonly seed: number
  readonly count: number
}

/** Longer for one small input is a hang. */
const SLOW_MS = 2_000
/** What the process may take in all, however many inputs it has seen. */
const MOST_BYTES = 700 * 1024 * 1024
const SOURCES = { core: coreTargets, leveldb: leveldbTargets, jsonl: jsonlTargets }

const task = JSON.parse(process.argv[2] ?? '') as FuzzTask
endWithParent()
const targets: FuzzTarget[] = []
for (const name of task.targets) targets.push(...(await SOURCES[name]()))
const total = targets.reduce((sum, { weight }) => sum + weight, 0)
for (const { name, weight, feed } of targets) {
  const random = new Random(task.seed)
  const count = Math.ceil((task.count * weight) / total)
  const refused = { count: 0 }
  for (let n = 0; n < count; n++) {
    const before = performance.now()
    const problem = await judge(feed, random, refused)
    const tookMs = performance.now() - before
    if (problem !== undefined) report({ violation: `${name}, seed ${task.seed}, input ${n}: ${problem}` })
    if (tookMs > SLOW_MS) report({ violation: `${name}, seed ${task.seed}, input ${n} took ${Math.round(tookMs)} ms` })
    // Targets that answer at once would never let the end of the parent be noticed.
    if (n % 1_000 === 999) await new Promise((resolve) => setImmediate(resolve))
  }
  report({ name, count, refused: refused.count })
}
const { rss } = process.memoryUsage()
if (rss > MOST_BYTES) report({ violation: `the process has grown to ${Math.round(rss / 1024 / 1024)} MiB` })
process.exit(0)

async function judge(
  feed: FuzzTarget['feed'],
  random: Random,
  refused: { count: number },
): Promise<string | undefined> {
  try {
    return await feed(random)
  } catch (error) {
    refused.count += 1
    if (!isStoreError(error)) {
      return `an untyped error: ${error instanceof Error ? (error.stack ?? error.message).slice(0, 400) : String(error)}`
    }
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      if (`${cause.message}${cause.stack ?? ''}`.includes(SECRET)) return 'the error tells what somebody said'
    }
    return undefined
  }
}

function report(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}
