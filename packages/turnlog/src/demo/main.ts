import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStore } from '@turnlog/core'
import type { AnyMessage, AnyStore } from '../context.ts'
import { padTo } from '../output/fit.ts'
import { printable } from '../output/printable.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { Terminal } from '../output/terminal.ts'
import { registerDefaultBackends } from '../register-default-backends.ts'
import { KEY } from './conversation.ts'
import { makeDemoDirectory } from './demo-directory.ts'
import { crashAppendedFile, crashReplacedFile } from './file-stores.ts'
import type { CrashResult } from './file-stores.ts'
import { runChild } from './run-child.ts'
import { countRecorded, tellLog, tellView } from './tell-session.ts'

const DIRECTORY = '.demo'

/** The agent is killed in a write after so many messages and summaries. */
const KILL_AFTER = { messages: 150, summaries: 2 } as const

const terminal = new Terminal({
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  environment: process.env,
})
const { bold, dim, green, red, cyan } = terminal.colors

async function title(number: number, text: string): Promise<void> {
  await terminal.line(`\n${cyan(bold(String(number)))}  ${bold(text)}\n`)
}

async function tell(text: string): Promise<void> {
  await terminal.line(`  ${text}`)
  await terminal.flush()
}

async function main(): Promise<void> {
  const startedAt = performance.now()
  makeDemoDirectory(DIRECTORY)
  const path = join(DIRECTORY, 'sessions')
  await terminal.line(`${bold('Turnlog')}  ${dim('what is acknowledged is there')}`)

  await title(1, 'An agent records, a summariser cuts, and the process is killed')
  await tell(dim('A child process records a conversation with tool calls in LevelDB, every message synced to disk.'))
  await tell(dim('At the same time a summariser loads it, thinks, and replaces its beginning by a summary.'))
  const { acknowledged, lines } = await runChild('agent-child', [path], isTimeToKill())
  const summaries = lines.filter((line) => line.startsWith('summary ')).length
  const done = `${formatNumberOf(acknowledged.length, 'message')} acknowledged, ${summaries} summaries`
  await tell(`${red('SIGKILL')} in the middle of a write, after ${done}.`)

  registerDefaultBackends()
  const warnings: string[] = []
  const onWarning = ({ message }: { readonly message: string }): void => void warnings.push(message)
  const store = await openStore<AnyMessage>({ backend: 'leveldb', path, onWarning })
  try {
    await title(2, 'The store is opened again')
    for (const warning of warnings) await tell(dim(printable(warning)))
    const { found, more } = await countRecorded(store, acknowledged)
    await tell(
      `${mark(found === acknowledged.length)} ${found} of ${acknowledged.length} acknowledged messages are there.`,
    )
    if (more > 0)
      await tell(dim(`  And ${more} that was written, but not yet acknowledged, when the process was killed.`))
    const { ok, events } = await store.verify()
    await tell(
      `${mark(ok)} ${formatNumberOf(events, 'event')} verified: checksums, numbering, and what is derived from them.`,
    )
    await tellSession(store)
    const results = [await crashReplacedFile(DIRECTORY), await crashAppendedFile(DIRECTORY)]
    await title(6, 'The same elsewhere')
    await tell(dim('Also killed in the middle of a write; some 40 messages are enough to see it.'))
    await tellTable([...results, { name: 'Turnlog', acknowledged: acknowledged.length, found, why: '' }])
  } finally {
    await store.close()
  }
  await tellNext(path)
  await terminal.line(dim(`\n${((performance.now() - startedAt) / 1000).toFixed(1)} seconds.`))
  await terminal.flush()
}

async function tellSession(store: AnyStore): Promise<void> {
  await title(3, 'What the model sees')
  await tellView(terminal, store)
  await title(4, 'What happened, in the log')
  const { before, after, madeFrom } = await tellLog(terminal, store)
  await title(5, 'What the summary changed, and how to undo it')
  const full = await store.load(KEY, { at: before })
  const cut = await store.load(KEY, { at: after })
  await tell(`version ${before}: ${formatNumberOf(full.messages.length, 'message')} in the view`)
  await tell(`version ${after}: ${formatNumberOf(cut.messages.length, 'message')} and a new summary, in one write`)
  const late = cut.positions.filter((position) => position > madeFrom).length
  await tell(dim(`  ${formatNumberOf(late, 'message')} came in while the summary was being written; all of them stay.`))
  const present = (await store.load(KEY)).version
  await store.restore(KEY, { at: before })
  const restored = await store.load(KEY)
  const isSame = JSON.stringify(restored.messages) === JSON.stringify(full.messages)
  await tell(
    `${mark(isSame)} restore({ at: ${before} }): ${formatNumberOf(restored.messages.length, 'message')} again, the same ones`,
  )
  await store.restore(KEY, { at: present })
  await tell(dim(`  restore({ at: ${present} }) takes that back as well: a restore is an event like any other.`))
}

async function tellTable(results: readonly CrashResult[]): Promise<void> {
  await tell(dim(`${padTo('', 22)}${'acknowledged'.padStart(13)}${'found'.padStart(8)}${'lost'.padStart(7)}`))
  for (const { name, acknowledged, found, why } of results) {
    const lost = acknowledged - found
    const count = String(lost).padStart(7)
    const paint = lost === 0 ? green : red
    const counts = `${String(acknowledged).padStart(13)}${String(found).padStart(8)}${paint(count)}`
    await tell(`${padTo(name, 22)}${counts}`)
    if (why !== '') await tell(dim(`  └ ${why}`))
  }
}

async function tellNext(path: string): Promise<void> {
  const bin = relative('.', fileURLToPath(new URL('../bin.js', import.meta.url)))
  const turnlog = bin.includes('node_modules') ? 'npx turnlog' : `node ${bin}`
  await terminal.line(`\n${bold('Try next')}  ${dim(`the store is in ${path}`)}\n`)
  await tell(dim(`export TURNLOG_STORE=leveldb:${path}`))
  for (const args of ['list', `show ${KEY}`, `log ${KEY} -n 20`, `diff ${KEY} 30 60`, 'doctor']) {
    await tell(`${turnlog} ${args}`)
  }
}

function isTimeToKill(): (line: string) => boolean {
  let summaries = 0
  return (line) => {
    if (line.startsWith('summary ')) summaries += 1
    const [word, number] = line.split(' ')
    return word === 'begin' && Number(number) >= KILL_AFTER.messages && summaries >= KILL_AFTER.summaries
  }
}

function mark(isGood: boolean): string {
  if (!isGood) process.exitCode = 1
  return isGood ? green('✓') : red('✗')
}

await main()
