import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'

import { Command } from 'commander'

import { check, goals } from './check.ts'
import { BEFORE } from './contestants/turnlog.ts'
import { installPeers } from './peers.ts'
import { compareBuilds, comparisonTable } from './report/comparison.ts'
import { describeMachine } from './report/machine.ts'
import { page } from './report/page.ts'
import { picture } from './report/picture.ts'
import type { Report } from './report/report.ts'
import { checkTable, scenarioTable, syncTable } from './report/tables.ts'
import { runInProcess } from './run-in-process.ts'
import { scenarios } from './scenarios/index.ts'
import type { ScenarioResult } from './scenarios/scenario.ts'
import { hasStrace, verifySync } from './verify-sync.ts'
import type { SyncCount } from './verify-sync.ts'

interface Options {
  readonly quick?: boolean
  readonly check?: boolean
  readonly against?: string
  readonly backend?: string
  readonly only?: string
  readonly contestants?: string
  readonly seed: string
  readonly output: string
  readonly verifySync: boolean
  readonly list?: boolean
}

const RESULTS = fileURLToPath(new URL('../results/local/', import.meta.url))

/** Too few would let a background sync pass for one of its own. */
const TRACED_APPENDS = 100

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const command = new Command('bench')
  .description('Measures the backends of Turnlog beside the alternatives and the limit of the disk.')
  .option('--quick', 'fewer rounds and smaller stores, under three minutes')
  .option('--check', 'run what the goals need; exit 1 and name what falls short')
  .option('--against <checkout>', 'compare with another built checkout; exit 1 if a scenario is slower than there')
  .option('--backend <module>', 'also measure a backend, through its conformance target')
  .option('--only <ids>', 'these scenarios only, separated by commas')
  .option('--contestants <ids>', 'these contestants only, separated by commas')
  .option('--seed <number>', 'of the messages', '1')
  .option('--output <directory>', 'where results.json, report.html and ratios.svg go', RESULTS)
  .option('--no-verify-sync', 'do not count syncs with strace')
  .option('--list', 'name the scenarios and stop')
  .allowExcessArguments(false)
  .parse(process.argv.filter((argument) => argument !== '--'))

process.exitCode = await main(command.opts<Options>())

async function main(options: Options): Promise<number> {
  if (options.list === true) {
    for (const { id, title } of scenarios) say(`${id.padEnd(24)}${title}`)
    return 0
  }
  const chosen = choose(options)
  const contestants = contestantsOf(options)
  if (options.against === undefined) installPeers(say)
  const scale = options.quick === true ? 'quick' : 'full'
  const seed = Number(options.seed)
  const syncs = countedSyncs(options)
  const results: ScenarioResult[] = []
  const failures: { scenario: string; reason: string }[] = []
  for (const id of chosen) {
    const begin = performance.now()
    const answer = await runInProcess(id, {
      scale,
      seed,
      ...(options.backend === undefined ? undefined : { backend: resolve(options.backend) }),
      ...(options.against === undefined ? undefined : { against: resolve(options.against) }),
      ...(contestants === undefined ? undefined : { only: contestants }),
    })
    if ('error' in answer) {
      failures.push({ scenario: id, reason: answer.error })
      say(styleText('red', `\n${id} failed: ${answer.error}`))
      continue
    }
    const result = credit(answer.result, syncs)
    results.push(result)
    say(scenarioTable(result))
    say(styleText('gray', `took ${Math.round((performance.now() - begin) / 1000)} s`))
  }
  const asked = { scenarios: chosen, ...(contestants === undefined ? undefined : { contestants }) }
  const checks = options.against === undefined ? check(results, asked) : []
  const date = new Date().toISOString()
  const report: Report = { date, scale, seed, machine: describeMachine(), scenarios: results, checks, syncs, failures }
  write(report, options.output)
  if (checks.length > 0) say(`\n${checkTable(checks)}`)
  const comparisons = compareBuilds(results)
  if (comparisons.length > 0) say(`\n${comparisonTable(comparisons)}`)
  const short = checks.filter(({ isMet }) => !isMet)
  if (options.check === true) {
    say(short.length === 0 ? 'Every ratio is met.' : `${short.length} of ${checks.length} ratios fall short:`)
    for (const { id } of short) say(`  ${id}`)
  }
  const isWorse = comparisons.some((comparison) => comparison.isWorse)
  return failures.length > 0 || isWorse || (options.check === true && short.length > 0) ? 1 : 0
}

/** Two builds are compared with each other and not with anybody else, unless somebody is named. */
function contestantsOf({ contestants, against }: Options): readonly string[] | undefined {
  const ours = contestants?.split(',') ?? (against === undefined ? undefined : ['leveldb', 'jsonl', 'memory'])
  return against === undefined ? ours : ours?.flatMap((id) => [id, `${id}${BEFORE}`])
}

function choose({ only, check: isCheck, against }: Options): string[] {
  const comparable = scenarios.filter(({ takesBuilds = false }) => takesBuilds || against === undefined)
  const ids = comparable.map(({ id }) => id)
  if (only === undefined) {
    const needed = new Set(goals.map(({ scenario }) => scenario))
    return isCheck === true ? ids.filter((id) => needed.has(id)) : ids
  }
  const wanted = only.split(',')
  const unknown = wanted.filter((id) => !ids.includes(id))
  if (unknown.length > 0) throw new Error(`There is no scenario ${unknown.join(', ')}. Known: ${ids.join(', ')}`)
  return wanted
}

function countedSyncs({ verifySync: isWanted, against }: Options): SyncCount[] {
  if (!isWanted || against !== undefined) return []
  if (!hasStrace()) {
    say(styleText('yellow', 'strace is not installed: whether contestants really sync is not checked.'))
    return []
  }
  const syncs = verifySync(TRACED_APPENDS)
  say(syncTable(syncs))
  return syncs
}

/** Who does not sync has no place beside those who do. */
function credit(result: ScenarioResult, syncs: readonly SyncCount[]): ScenarioResult {
  const guilty = syncs.filter(({ isKept }) => !isKept)
  if (result.durability !== 'sync' || guilty.length === 0) return result
  const isGuilty = (id: string): boolean => guilty.some(({ contestant }) => contestant === id)
  return {
    ...result,
    measurements: result.measurements.filter(({ contestant }) => !isGuilty(contestant)),
    absent: [
      ...result.absent,
      ...guilty.map(({ label, syncs: count, appends }) => ({
        label,
        reason: `not credited: ${count} syncs for ${appends} appends`,
      })),
    ],
  }
}

function write(report: Report, output: string): void {
  mkdirSync(output, { recursive: true })
  writeFileSync(join(output, 'results.json'), `${JSON.stringify(report, undefined, 2)}\n`)
  writeFileSync(join(output, 'report.html'), page(report))
  writeFileSync(join(output, 'ratios.svg'), picture(report))
  say(styleText('gray', `\nWritten to ${relative(process.cwd(), output)}: results.json, report.html, ratios.svg`))
}
