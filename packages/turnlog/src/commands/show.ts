import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { AnyStore, Context } from '../context/context.ts'
import { describeMessage } from '@turnlog/messages/describe'
import { messageLines, paintSpeaker } from '../output/message-text.ts'
import type { AnyMessage } from '../output/message-text.ts'
import { printable, printableJson, printableLines } from '../output/printable.ts'
import { formatAge, formatNumberOf, formatTime } from '../output/quantities.ts'
import { wrap } from '../output/wrap.ts'
import { wholeNumber } from './arguments.ts'

interface ShowFlags {
  readonly at?: number
  readonly limit?: number
  readonly full?: boolean
}

interface Shown {
  readonly key: string
  readonly version: number
  readonly current: number
  readonly summary: string
  readonly metadata: unknown
  readonly createdAt: number
  readonly updatedAt: number
  readonly messages: readonly { readonly position: number; readonly at: number; readonly message: AnyMessage }[]
}

export function showCommand(act: Act): Command {
  return new Command('show')
    .description('the conversation as a model would see it: summary, messages, tool calls and results')
    .argument('<key>', 'the session')
    .option('--at <version>', 'as it was at that version', wholeNumber)
    .option('-n, --limit <count>', 'only the last <count> messages', wholeNumber)
    .option('--full', 'tool results in full length')
    .addHelpText(
      'after',
      `
Numbers in front of messages are positions, as truncate, summarize and the library take them.
With --json: one object with key, version, summary, metadata, createdAt, updatedAt, messages.

Examples:
  turnlog show telegram:42
  turnlog show telegram:42 --at 17
  turnlog show telegram:42 --json | jq '.messages[].message.role'`,
    )
    .action(act(show))
}

async function show(context: Context, key: string, flags: ShowFlags): Promise<void> {
  const store = await context.openToRead()
  const whole = await read(context, store, key, flags.at)
  const { limit = Infinity } = flags
  const hidden = Math.max(0, whole.messages.length - limit)
  const shown = { ...whole, messages: whole.messages.slice(hidden) }
  if (context.json) {
    const { current: _current, ...document } = shown
    await context.terminal.line(printableJson(document, 2))
    return
  }
  await context.terminal.lines(header(context, shown, whole.messages.length))
  if (hidden > 0)
    await context.terminal.line(context.terminal.colors.dim(`  … ${formatNumberOf(hidden, 'earlier message')}\n`))
  for (const { position, at, message } of shown.messages) {
    const { dim } = context.terminal.colors
    const { speaker } = describeMessage(message)
    await context.terminal.line(
      `${dim(String(position).padStart(4))}  ${paintSpeaker(context.terminal, speaker)}  ${dim(formatTime(at))}`,
    )
    await context.terminal.lines(messageLines(context.terminal, message, flags.full === true))
    await context.terminal.line('')
  }
}

async function read(context: Context, store: AnyStore, key: string, at: number | undefined): Promise<Shown> {
  const present = await store.load(key)
  context.requireSession(key, present.version > 0)
  const view = at === undefined ? present : await store.load(key, { at })
  const { positions, times, messages, version, ...rest } = view
  const listed = messages.map((message, i) => ({ position: positions[i] ?? 0, at: times[i] ?? 0, message }))
  return { ...rest, version, current: present.version, messages: listed }
}

function header({ terminal }: Context, shown: Shown, count: number): string[] {
  const { bold, dim, blue, yellow } = terminal.colors
  const { key, version, current, summary, metadata, createdAt, updatedAt } = shown
  const past = version === current ? '' : yellow(` of ${current} (historical)`)
  const lines = [
    `${bold(printable(key))}  ${dim(`version ${version}`)}${past}${dim(`, ${formatNumberOf(count, 'message')}`)}`,
    dim(`created ${formatTime(createdAt)}, last written ${formatAge(Date.now() - updatedAt)} ago`),
  ]
  if (Object.keys(metadata as object).length > 0) lines.push(dim(`metadata ${printable(JSON.stringify(metadata))}`))
  lines.push('')
  if (summary !== '') {
    const text = printableLines(summary).flatMap((line) => wrap(line, terminal.columns - 4))
    lines.push(blue('summary'), ...text.map((line) => `    ${line}`), '')
  }
  return lines
}
