import { Command } from 'commander'
import { StoreError } from '@turnlog/core'
import { exportSessions } from '@turnlog/transfer'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable } from '../output/printable.ts'
import { showProgress } from '../output/progress.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { formatProblem } from '../output/format-problem.ts'
import { printResult } from './print-result.ts'
import { writeWhole } from './write-whole.ts'

interface ExportFlags {
  readonly output?: string
  readonly prefix?: string
  readonly redact?: boolean
  readonly skipDamaged?: boolean
}

export function exportCommand(act: Act): Command {
  return new Command('export')
    .description('every event of the sessions as JSON lines, for a backup, another backend or a bug report')
    .argument('[keys...]', 'only these sessions')
    .option('-o, --output <file>', 'write there; a file appears when it is whole. Otherwise to the output')
    .option('--prefix <prefix>', 'only keys that begin with it')
    .option('--redact', 'every text replaced by x: roles, types, ids, names and numbers stay')
    .option('--skip-damaged', 'leave out sessions that cannot be read, and name them; otherwise one ends the export')
    .addHelpText(
      'after',
      `
Ends with 1 if a damaged session was left out, or if there was no such session: then nothing is written.
With --json: one object with sessions, events, and with --skip-damaged: problems (needs --output).

Examples:
  turnlog export -o backup.jsonl
  turnlog export telegram:42 --redact -o report.jsonl
  turnlog export --skip-damaged -o rescued.jsonl
  turnlog export --store leveldb:./old | turnlog import --store jsonl:./new --create`,
    )
    .action(act(exportTo))
}

async function exportTo(context: Context, keys: readonly string[], flags: ExportFlags): Promise<number> {
  const { terminal, json } = context
  const { output, prefix, redact = false, skipDamaged = false } = flags
  if (output === undefined && (terminal.isTerminal || json)) {
    // Written to a terminal, what messages contain could act on it.
    throw new StoreError('INVALID_ARGUMENT', 'Give --output, or send the output to a file or a pipe.')
  }
  const store = await context.openToRead()
  const result = { sessions: 0, events: 0 }
  const damaged: StoreError[] = []
  const total = output === undefined || skipDamaged ? 0 : (await store.stats()).sessions
  const progress = showProgress(terminal, 'Exporting')
  const exported = exportSessions(store, {
    ...(keys.length === 0 ? undefined : { keys }),
    ...(prefix === undefined ? undefined : { prefix }),
    redact,
    ...(skipDamaged ? { onDamaged: (damage) => damaged.push(damage) } : undefined),
    onProgress: ({ done, events }) => {
      result.sessions = done
      result.events = events
      if (output !== undefined) progress.update(done, Math.max(total, done))
    },
  })
  const lines = prefix === undefined ? exported : orNothing(exported, prefix, damaged)
  let isFile = true
  try {
    if (output === undefined) for await (const line of lines) await terminal.line(line.slice(0, -1))
    else isFile = await writeWhole(context, output, lines)
  } finally {
    progress.stop()
  }
  if (!json) for (const damage of damaged) terminal.note(`${terminal.colors.red('✗')} ${formatProblem(damage)}`)
  if (output !== undefined) {
    const counts = `${formatNumberOf(result.sessions, 'session')}, ${formatNumberOf(result.events, 'event')}`
    const left = damaged.length === 0 ? '' : ` ${formatNumberOf(damaged.length, 'damaged session')} left out.`
    const problems = damaged.map(({ session, code, message }) => ({ session, code, message }))
    const told = skipDamaged ? { ...result, problems } : result
    const sentence = `Exported ${counts} to ${output}.${left}`
    // What is no file may be the output itself, where this would be a line of the export.
    if (isFile || json) await printResult(context, told, sentence)
    else terminal.note(printable(sentence))
  }
  return damaged.length === 0 ? EXIT.ok : EXIT.problem
}

/** Nothing of a prefix that no session has: a backup that was whole would give way to one of nothing. */
async function* orNothing(
  lines: AsyncIterable<string>,
  prefix: string,
  damaged: readonly StoreError[],
): AsyncGenerator<string> {
  // An export of nothing is two lines, its header and its end.
  const held: string[] = []
  let isMore = false
  for await (const line of lines) {
    held.push(line)
    isMore ||= held.length > 2
    if (isMore) yield* held.splice(0)
  }
  if (!isMore && damaged.length === 0) {
    throw new StoreError('NOT_FOUND', `There is no session whose key begins with ${JSON.stringify(prefix)}.`)
  }
  yield* held
}
