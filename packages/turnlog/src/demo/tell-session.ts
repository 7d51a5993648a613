import { ViewFold } from '@turnlog/core'
import type { AnyStore } from '../context.ts'
import { eventLines } from '../output/event-line.ts'
import { describeMessage } from '@turnlog/messages/describe'
import { messageLines, paintSpeaker } from '../output/message-text.ts'
import { printable } from '../output/printable.ts'
import { formatNumberOf } from '../output/quantities.ts'
import type { Terminal } from '../output/terminal.ts'
import { wrap } from '../output/wrap.ts'
import { KEY } from './conversation.ts'

const SHOWN_MESSAGES = 4
const SHOWN_EVENTS = 9

/** Versions around the last summary. */
export interface LastSummary {
  readonly before: number
  readonly after: number
  /** The version that the summariser had read. */
  readonly madeFrom: number
}

export async function tellView(terminal: Terminal, store: AnyStore): Promise<void> {
  const { summary, messages } = await store.load(KEY)
  const { blue, dim } = terminal.colors
  await terminal.line(`  ${blue('summary')}`)
  for (const line of wrap(printable(summary), terminal.columns - 6)) await terminal.line(`      ${line}`)
  const hidden = messages.length - SHOWN_MESSAGES
  if (hidden > 0) await terminal.line(dim(`  … ${formatNumberOf(hidden, 'more message')}`))
  for (const message of messages.slice(-SHOWN_MESSAGES)) {
    await terminal.line(`  ${paintSpeaker(terminal, describeMessage(message).speaker)}`)
    for (const line of messageLines(terminal, message, false)) await terminal.line(`  ${line}`)
  }
}

/** The events around the last summary, and between which versions it lies. */
export async function tellLog(terminal: Terminal, store: AnyStore): Promise<LastSummary> {
  const fold = new ViewFold()
  const lines: string[][] = []
  let last = { before: 0, after: 0, madeFrom: 0, index: 0 }
  for await (const event of store.events(KEY)) {
    const effect = fold.apply(event)
    lines.push(eventLines(terminal, event, effect))
    if (event.type === 'Truncated' && 'asked' in event && 'through' in event.asked) {
      // Summary and cut are neighbours, because they are one append.
      last = { before: event.seq - 2, after: event.seq, madeFrom: event.asked.version, index: lines.length - 1 }
    }
  }
  const from = Math.max(0, last.index - 4)
  await terminal.line(terminal.colors.dim(`  … ${formatNumberOf(from, 'earlier event')}`))
  await terminal.lines(lines.slice(from, from + SHOWN_EVENTS).flat())
  const rest = lines.length - from - SHOWN_EVENTS
  if (rest > 0) await terminal.line(terminal.colors.dim(`  … ${formatNumberOf(rest, 'later event')}`))
  return last
}

/** Of the messages that were acknowledged, how many are in the log. */
export async function countRecorded(
  store: AnyStore,
  acknowledged: readonly number[],
): Promise<{ found: number; more: number }> {
  const recorded = new Set<number>()
  for await (const event of store.events(KEY)) {
    if (event.type === 'MessageAdded' && 'message' in event) recorded.add(Number(event.message['n']))
  }
  const found = acknowledged.filter((n) => recorded.has(n)).length
  return { found, more: recorded.size - found }
}
