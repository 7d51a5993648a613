import { spawnSync } from 'node:child_process'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { openStore } from 'turnlog'
import type { SessionStore } from 'turnlog'
import type { DemoMessage } from './conversation.ts'
import { KEY } from './conversation.ts'
import { makeDemoDirectory } from './demo-directory.ts'
import { crashAppendedFile, crashReplacedFile } from './file-stores.ts'
import type { CrashResult } from './file-stores.ts'
import { runChild } from './run-child.ts'
import type { LastSummary } from './session-facts.ts'
import { countRecorded, findLastSummary } from './session-facts.ts'

const DIRECTORY = '.demo'
const PATH = join(DIRECTORY, 'sessions')
const BIN = fileURLToPath(new URL('./dist/bin.js', import.meta.resolve('turnlog/package.json')))

/** The agent is killed in a write after so many messages and summaries. */
const KILL_AFTER = { messages: 150, summaries: 2 } as const

const SHOWN_MESSAGES = 4
/** Events around the last summary. */
const SHOWN_BEFORE = 2
const SHOWN_AFTER = 4

const dim = (text: string): string => styleText('dim', text)

function title(number: number, text: string): void {
  console.log(`\n${styleText('cyan', styleText('bold', String(number)))}  ${styleText('bold', text)}\n`)
}

function say(text: string): void {
  console.log(`  ${text}`)
}

async function main(): Promise<void> {
  const startedAt = performance.now()
  makeDemoDirectory(DIRECTORY)
  console.log(`${styleText('bold', 'Turnlog')}  ${dim('what is acknowledged is there')}`)

  title(1, 'An agent records, a summariser cuts, and the process is killed')
  say(dim('A child process records a conversation with tool calls in LevelDB, every message synced to disk.'))
  say(dim('At the same time a summariser loads it, thinks, and replaces its beginning by a summary.'))
  const { acknowledged, lines } = await runChild('agent-child', [PATH], isTimeToKill())
  const summaries = lines.filter((line) => line.startsWith('summary ')).length
  const done = `${acknowledged.length} messages acknowledged, ${summaries} summaries`
  say(`${styleText('red', 'SIGKILL')} in the middle of a write, after ${done}.`)

  title(2, 'The store is opened again')
  const { found, last } = await lookAgain(acknowledged)

  title(3, 'What the model sees')
  runTurnlog('show', KEY, '-n', String(SHOWN_MESSAGES))
  title(4, 'What happened, in the log')
  runTurnlog('log', KEY, '--from', String(last.before - SHOWN_BEFORE), '--to', String(last.after + SHOWN_AFTER))
  title(5, 'What the summary changed, and how to undo it')
  await showRestore(last)

  const results = [await crashReplacedFile(DIRECTORY), await crashAppendedFile(DIRECTORY)]
  title(6, 'The same elsewhere')
  say(dim('Also killed in the middle of a write; some 40 messages are enough to see it.'))
  sayTable([...results, { name: 'Turnlog', acknowledged: acknowledged.length, found, why: '' }])
  sayNext(last)
  console.log(dim(`\n${((performance.now() - startedAt) / 1000).toFixed(1)} seconds.`))
}

async function lookAgain(acknowledged: readonly number[]): Promise<{ found: number; last: LastSummary }> {
  const onWarning = ({ message }: { readonly message: string }): void => say(dim(message))
  await using store = await openStore<DemoMessage>({ backend: 'leveldb', path: PATH, onWarning })
  const { found, more } = await countRecorded(store, acknowledged)
  say(`${mark(found === acknowledged.length)} ${found} of ${acknowledged.length} acknowledged messages are there.`)
  if (more > 0) say(dim(`  And ${more} that was written, but not yet acknowledged, when the process was killed.`))
  const { ok, events } = await store.verify()
  say(`${mark(ok)} ${events} events verified: checksums, numbering, and what is derived from them.`)
  return { found, last: await findLastSummary(store) }
}

/** The command as a person would call it. */
function runTurnlog(...args: readonly string[]): void {
  const env = { ...process.env, TURNLOG_STORE: `leveldb:${PATH}` }
  const { status } = spawnSync(process.execPath, [BIN, ...args], { stdio: 'inherit', env })
  mark(status === 0)
}

async function showRestore({ before, after, madeFrom }: LastSummary): Promise<void> {
  await using store: SessionStore<DemoMessage> = await openStore<DemoMessage>({ backend: 'leveldb', path: PATH })
  const full = await store.load(KEY, { at: before })
  const cut = await store.load(KEY, { at: after })
  say(`version ${before}: ${full.messages.length} messages in the view`)
  say(`version ${after}: ${cut.messages.length} messages and a new summary, in one write`)
  const late = cut.positions.filter((position) => position > madeFrom).length
  say(dim(`  ${late} messages came in while the summary was being written; all of them stay.`))
  const { version } = await store.load(KEY)
  await store.restore(KEY, { at: before })
  const { messages } = await store.load(KEY)
  const isSame = JSON.stringify(messages) === JSON.stringify(full.messages)
  say(`${mark(isSame)} restore({ at: ${before} }): ${messages.length} messages again, the same ones`)
  await store.restore(KEY, { at: version })
  say(dim(`  restore({ at: ${version} }) takes that back as well: a restore is an event like any other.`))
}

function sayTable(results: readonly CrashResult[]): void {
  say(dim(`${''.padEnd(22)}${'acknowledged'.padStart(13)}${'found'.padStart(8)}${'lost'.padStart(7)}`))
  for (const { name, acknowledged, found, why } of results) {
    const lost = acknowledged - found
    const counts = `${String(acknowledged).padStart(13)}${String(found).padStart(8)}`
    say(`${name.padEnd(22)}${counts}${styleText(lost === 0 ? 'green' : 'red', String(lost).padStart(7))}`)
    if (why !== '') say(dim(`  └ ${why}`))
  }
}

function sayNext({ before, after }: LastSummary): void {
  console.log(`\n${styleText('bold', 'Try next')}  ${dim(`the store is in ${PATH}`)}\n`)
  say(dim(`export TURNLOG_STORE=leveldb:${resolve(PATH)}`))
  for (const args of ['list', `show ${KEY}`, `log ${KEY} -n 20`, `diff ${KEY} ${before} ${after}`, 'doctor']) {
    say(`node ${relative('.', BIN)} ${args}`)
  }
}

function isTimeToKill(): (line: string) => boolean {
  let summaries = 0
  return (line) => {
    if (line.startsWith('summary ')) summaries++
    const [word, number] = line.split(' ')
    return word === 'begin' && Number(number) >= KILL_AFTER.messages && summaries >= KILL_AFTER.summaries
  }
}

function mark(isGood: boolean): string {
  if (!isGood) process.exitCode = 1
  return isGood ? styleText('green', '✓') : styleText('red', '✗')
}

await main()
