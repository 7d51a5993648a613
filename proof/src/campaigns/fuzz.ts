import { Random } from '@turnlog/conformance/random'
import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import { startChild } from '../machine/start-child.ts'

type Report =
  | { readonly violation: string }
  | { readonly name: string; readonly count: number; readonly refused: number }

/** Inputs per process: a fresh one now and then, so that one bad input cannot hide the rest. */
const BATCH = 100_000

/** Mutated bytes and texts through everything that takes them from outside. */
export const fuzz: Campaign = {
  name: 'fuzz',
  title: 'Mutated inputs through codecs, keys, lines, files, configurations and imports',
  async run(context) {
    const targets = ['core', ...context.backends] as const
    return Promise.all(targets.map((target) => fuzzTarget(context, target, new Random(context.random.seed()))))
  },
}

async function fuzzTarget(
  context: CampaignContext,
  target: 'core' | 'leveldb' | 'jsonl',
  random: Random,
): Promise<Outcome> {
  const count = context.attempts(8_000, 400_000)
  const violations: string[] = []
  const counts = new Map<string, number>()
  let refused = 0
  const hasTime = context.budget()
  for (let left = count; left > 0 && hasTime(); left -= BATCH) {
    const seed = random.seed()
    const child = startChild('fuzz', { targets: [target], seed, count: Math.min(left, BATCH) })
    let text = ''
    child.process.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    const { code, signal, errorText } = await child.ended
    if (code !== 0) violations.push(`${target}, seed ${seed}: the process ended with ${signal ?? code}: ${errorText}`)
    for (const line of text.split('\n').slice(0, -1)) {
      const report = JSON.parse(line) as Report
      if ('violation' in report) violations.push(report.violation)
      else {
        counts.set(report.name, (counts.get(report.name) ?? 0) + report.count)
        refused += report.refused
      }
    }
    context.progress(`${target}: ${count - left + Math.min(left, BATCH)} of ${count} inputs`)
  }
  return {
    campaign: 'fuzz',
    backend: target,
    promise: 'Any input gives a value or a typed refusal: no crash, no hang, no growth, nothing that somebody said',
    attempts: [...counts.values()].reduce((sum, each) => sum + each, 0),
    unit: 'inputs',
    violations,
    note: `${refused} refused; ${[...counts].map(([name, each]) => `${name} ${each}`).join(', ')}`,
  }
}
