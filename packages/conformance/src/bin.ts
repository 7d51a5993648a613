#!/usr/bin/env node
import { constants, existsSync } from 'node:fs'
import { access, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect, styleText } from 'node:util'

import { Command, InvalidArgumentError } from 'commander'

import { cases } from './cases/index.ts'
import { loadTarget } from './child/load-target.ts'
import { isClean } from './report/report.ts'
import type { CaseResult } from './report/report.ts'
import { formatSummary } from './report/summary.ts'
import { runConformance } from './run-conformance.ts'
import { suite } from './suite.ts'
import { UsageError } from './context/usage-error.ts'

interface Options {
  readonly grep?: RegExp
  readonly seed?: number
  readonly thorough: boolean
  readonly json?: string
}

const SYMBOLS = {
  passed: styleText('green', 'ok'),
  failed: styleText('red', 'FAILED'),
  unproven: styleText('yellow', 'UNPROVEN'),
  'not-applicable': styleText('dim', 'n/a'),
} as const

/** Longer than anything needs that only has to finish. */
const STILL_ALIVE_MS = 1000

const program = new Command('turnlog-conformance')
  .description('Runs the conformance suite of Turnlog against a backend.')
  .version(suite.version)
  .argument('<target>', 'a JavaScript module that exports `target`')
  .option('--grep <pattern>', 'only cases whose id matches this regular expression', asPattern)
  .option('--seed <number>', 'repeat a run', asSeed)
  .option('--thorough', 'ten times the counts, every byte damaged', false)
  .option('--json <file>', 'write the report as JSON')
  .addHelpText('after', '\nExit code: 0 if every must that was run is kept, 1 if not, 2 if the suite could not be run.')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .action(run)

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${styleText('red', 'The suite could not be run.')} ${explain(error)}\n`)
  process.exitCode = 2
}

// Each case looks after its own; what comes to light after the last one is a failure of the backend all the same.
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error: unknown) => {
    process.stderr.write(`${styleText('red', 'After the run nobody handled this:')} ${inspect(error)}\n`)
    process.exitCode ||= 1
  })
}

// Does not keep the process alive itself: when it strikes, something else does.
setTimeout(() => {
  process.stderr.write(
    `${styleText('yellow', 'The process was still alive after the run.')} The backend or its target holds a timer, a file or a connection that close() and destroy() do not release.\n`,
  )
  process.exit()
}, STILL_ALIVE_MS).unref()

async function run(path: string, options: Options): Promise<void> {
  await checkFolder(options.json)
  if (!existsSync(path)) throw new UsageError(`There is no ${path}. Give the path of a module that exports \`target\`.`)
  const target = await loadTarget(pathToFileURL(resolve(path)).href)
  const { grep, seed, thorough } = options
  const selected = grep === undefined ? cases : cases.filter(({ id }) => grep.test(id))
  if (selected.length === 0)
    throw new UsageError(`No case matches ${String(grep)}. There are ${cases.length}, such as ${cases[0]?.id ?? ''}.`)
  const report = await runConformance(target, {
    thorough,
    targetPath: path,
    ...(grep === undefined ? {} : { grep }),
    ...(seed === undefined ? {} : { seed }),
    onResult: showProgress,
  })
  process.stdout.write(`\n${formatSummary(report)}\n`)
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(report, undefined, 2)}\n`)
  process.exitCode = isClean(report) ? 0 : 1
}

/** Before the run: a report that cannot be written would be lost after minutes. */
async function checkFolder(file: string | undefined): Promise<void> {
  if (file === undefined) return
  const folder = dirname(resolve(file))
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new UsageError(`Cannot write ${file}: there is no folder ${folder}, or it cannot be written to.`, { cause })
  })
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof UsageError ? error.message : (error.stack ?? error.message)
}

function showProgress({ id, status, level, durationMs }: CaseResult, index: number, total: number): void {
  const place = styleText('dim', `${String(index + 1).padStart(String(total).length)}/${total}`)
  const wish = level === 'should' ? styleText('dim', ' (should)') : ''
  const time = status === 'passed' || status === 'failed' ? styleText('dim', ` ${durationMs.toFixed(0)} ms`) : ''
  process.stdout.write(`${place} ${SYMBOLS[status]} ${id}${wish}${time}\n`)
}

function asPattern(text: string): RegExp {
  try {
    return new RegExp(text)
  } catch {
    throw new InvalidArgumentError('It is not a regular expression.')
  }
}

function asSeed(text: string): number {
  const seed = Number(text)
  if (!Number.isSafeInteger(seed) || text.trim() === '') throw new InvalidArgumentError('It is not a whole number.')
  return seed
}
