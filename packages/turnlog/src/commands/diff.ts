import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { fit } from '../output/fit.ts'
import { describeMessage } from '@turnlog/messages/describe'
import { messagePreview } from '../output/message-text.ts'
import { printable, printableJson, printableLines } from '../output/printable.ts'
import { formatNumberOf } from '../output/quantities.ts'
import type { Terminal } from '../output/terminal.ts'
import { wholeNumber } from './arguments.ts'
import type { ComparedMessage } from './compare-views.ts'
import { compareViews } from './compare-views.ts'

/** Unchanged messages that are shown next to a change. */
const NEIGHBOURS = 1

export function diffCommand(act: Act): Command {
  return new Command('diff')
    .description('what changed in the view and the summary between two versions')
    .argument('<key>', 'the session')
    .argument('<from>', 'the earlier version', wholeNumber)
    .argument('[to]', 'the later version (default: the current one)', wholeNumber)
    .addHelpText(
      'after',
      `
With --json: one object with from, to, summary (before, after), removed, added (positions), kept (how many).
Ends with 0 whether or not something changed.

Examples:
  turnlog diff telegram:42 17 19
  turnlog diff telegram:42 17`,
    )
    .action(act(diff))
}

async function diff(context: Context, key: string, a: number, b: number | undefined): Promise<void> {
  const store = await context.openToRead()
  const { version } = await store.load(key)
  context.requireSession(key, version > 0)
  const before = await store.load(key, { at: a })
  const after = await store.load(key, { at: b ?? version })
  const compared = await compareViews(store, before, after)
  const of = (change: ComparedMessage['change']): number[] =>
    compared.filter((one) => one.change === change).map(({ position }) => position)
  const removed = of('removed')
  const added = of('added')
  const kept = of('kept').length
  if (context.json) {
    const summary = { before: before.summary, after: after.summary }
    await context.terminal.line(printableJson({ from: a, to: after.version, summary, removed, added, kept }, 2))
    return
  }
  const { terminal } = context
  const { bold, dim, red, green } = terminal.colors
  await terminal.line(`${bold(printable(key))}  ${dim(`version ${before.version} → ${after.version}`)}`)
  await terminal.line(
    `${red(`−${removed.length}`)} ${green(`+${added.length}`)}${dim(`, ${formatNumberOf(kept, 'message')} unchanged`)}\n`,
  )
  if (before.summary !== after.summary) await terminal.lines(summaryLines(terminal, before.summary, after.summary))
  await terminal.lines(messageChanges(terminal, compared))
}

function summaryLines({ colors }: Terminal, before: string, after: string): string[] {
  const lines = (text: string): string[] => (text === '' ? [] : printableLines(text))
  return [
    colors.blue('summary'),
    ...lines(before).map((line) => colors.red(`  − ${line}`)),
    ...lines(after).map((line) => colors.green(`  + ${line}`)),
    '',
  ]
}

function messageChanges(terminal: Terminal, compared: readonly ComparedMessage[]): string[] {
  const isNear = (index: number): boolean =>
    compared.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1).some(({ change }) => change !== 'kept')
  const lines: string[] = []
  let skipped = 0
  const addSkipped = (): void => {
    if (skipped > 0) lines.push(terminal.colors.dim(`       … ${formatNumberOf(skipped, 'unchanged message')}`))
    skipped = 0
  }
  for (const [index, one] of compared.entries()) {
    if (one.change === 'kept' && !isNear(index)) {
      skipped++
      continue
    }
    addSkipped()
    lines.push(changeLine(terminal, one))
  }
  addSkipped()
  return lines
}

function changeLine({ colors, columns }: Terminal, { change, position, message }: ComparedMessage): string {
  const sign = { kept: ' ', removed: '−', added: '+' }[change]
  const paint = { kept: colors.dim, removed: colors.red, added: colors.green }[change]
  const speaker = fit(printable(describeMessage(message).speaker), 12)
  const preview = messagePreview(message, Math.max(20, columns - 12 - speaker.length))
  return paint(`${sign} ${String(position).padStart(5)}  ${speaker}  ${preview}`)
}
