import { Command } from 'commander'
import { StoreError, ViewFold } from '@turnlog/core'
import type { SessionEvent, ViewEffect } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { AnyStore, Context } from '../context/context.ts'
import type { AnyMessage } from '../output/message-text.ts'
import { eventLines } from '../output/event-line.ts'
import { printableJson } from '../output/printable.ts'
import { wholeNumber } from './arguments.ts'

interface LogFlags {
  readonly from?: number
  readonly to?: number
  readonly limit?: number
  readonly reverse?: boolean
}

interface Entry {
  readonly event: SessionEvent<AnyMessage>
  readonly effect: ViewEffect
}

export function logCommand(act: Act): Command {
  return new Command('log')
    .description('the events of a session, with what each did to the view')
    .argument('<key>', 'the session')
    .option('--from <seq>', 'from this event on', wholeNumber)
    .option('--to <seq>', 'up to this event', wholeNumber)
    .option('-n, --limit <count>', 'only the last <count> events', wholeNumber)
    .option('-r, --reverse', 'newest first')
    .addHelpText(
      'after',
      `
With --json: one object per line: the event as recorded, and effect: what it added to and removed from the view.

Examples:
  turnlog log telegram:42 -n 20
  turnlog log telegram:42 --json | jq 'select(.event.type == "Truncated")'`,
    )
    .action(act(log))
}

async function log(context: Context, key: string, flags: LogFlags): Promise<void> {
  const store = await context.openToRead()
  const { from = 0, to, limit, reverse = false } = flags
  if (to !== undefined && from > to) throw new StoreError('INVALID_ARGUMENT', `--from ${from} is after --to ${to}.`)
  const fold = new ViewFold()
  // What an event did can be told only by going through all events before it.
  const chosen: Entry[] = []
  const streams = !reverse && limit === undefined
  let isThere = false
  let isInRange = false
  for await (const event of store.events(key, to === undefined ? {} : { to })) {
    isThere = true
    const entry = { event, effect: fold.apply(event) }
    if (event.seq < from) continue
    isInRange = true
    if (streams) await printEvent(context, entry)
    else chosen.push(entry)
    if (!reverse && limit !== undefined && chosen.length > limit) chosen.shift()
  }
  if (!isInRange) await printNone(context, store, key, isThere)
  if (reverse) chosen.reverse()
  for (const entry of chosen.slice(0, limit)) await printEvent(context, entry)
}

async function printNone(context: Context, store: AnyStore, key: string, isThere: boolean): Promise<void> {
  const { version } = await store.load(key)
  context.requireSession(key, isThere || version > 0)
  // A deleted session has no version any more.
  const last = version > 0 ? ` The last one is ${version}.` : ''
  if (!context.json) context.terminal.note(`No event in that range.${last}`)
}

async function printEvent({ terminal, json }: Context, { event, effect }: Entry): Promise<void> {
  if (json) await terminal.line(printableJson({ event, effect }))
  else await terminal.lines(eventLines(terminal, event, effect))
}
