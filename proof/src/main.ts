import { randomInt } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { styleText } from 'node:util'

import { Command, InvalidArgumentError, Option } from 'commander'

import { CAMPAIGNS } from './campaigns/index.ts'
import type { BackendName } from './child/make-backend.ts'
import { HAS_SQLITE } from './machine/start-child.ts'
import { markdownOf, tableOf, verdictOf } from './report.ts'
import { runCampaigns } from './run-campaigns.ts'

const BACKENDS: readonly BackendName[] = ['leveldb', 'jsonl', 'sqlite']

const program = new Command('prove')
  .description('Tries to break the promises of the store and says how often it tried.')
  .option('--long', 'the real numbers: hours instead of minutes', false)
  .option(
    '--campaign <names>',
    `of ${CAMPAIGNS.map(({ name }) => name).join(', ')}`,
    namesOf(CAMPAIGNS.map(({ name }) => name)),
  )
  .option('--backend <names>', `of ${BACKENDS.join(', ')}`, namesOf(BACKENDS))
  .addOption(new Option('--seed <number>', 'the seed of an earlier run').argParser(wholeNumber))
  .addOption(new Option('--count <number>', 'attempts per campaign and backend').argParser(wholeNumber))
  .option('--markdown <file>', 'append the table to this file')
  .parse()

const options = program.opts<{
  long: boolean
  campaign?: readonly string[]
  backend?: readonly BackendName[]
  seed?: number
  count?: number
  markdown?: string
}>()
const seed = options.seed ?? randomInt(0x1_0000_0000)
const { campaign: chosen, backend: wanted = BACKENDS } = options
const backends = wanted.filter((name) => name !== 'sqlite' || HAS_SQLITE)
if (backends.length < wanted.length) {
  console.log('SQLite is skipped: this Node has none, and `npm run test:driver` could not install better-sqlite3.')
}

console.log(`Seed ${seed}. The same seed makes the same attempts; moments in time are as the machine gives them.`)
const outcomes = await runCampaigns({
  campaigns: CAMPAIGNS.filter(({ name }) => chosen === undefined || chosen.includes(name)),
  backends,
  seed,
  long: options.long,
  count: options.count,
  say: (text) => console.log(text.replace('VIOLATION', styleText('red', 'VIOLATION'))),
})
console.log(tableOf(outcomes, seed))
if (options.markdown !== undefined) {
  appendFileSync(
    options.markdown,
    `${markdownOf(outcomes, seed, `npm run prove -- ${process.argv.slice(2).join(' ')}`)}\n`,
  )
}
const verdicts = outcomes.map(verdictOf)
const count = (verdict: string): number => verdicts.filter((candidate) => candidate === verdict).length
if (count('skipped') > 0) console.log(`${count('skipped')} skipped: see the table for why.`)
console.log(`${count('passed')} passed, ${count('failed')} failed`)
process.exitCode = count('failed') > 0 ? 1 : 0

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('It is not a whole number.')
  return number
}

function namesOf<Name extends string>(known: readonly Name[]): (text: string) => readonly Name[] {
  return (text) =>
    text.split(',').map((name) => {
      const found = known.find((candidate) => candidate === name)
      if (found === undefined) throw new InvalidArgumentError(`${name} is none of ${known.join(', ')}.`)
      return found
    })
}
