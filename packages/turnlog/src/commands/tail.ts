import { Command } from 'commander'
import { ViewFold } from '@turnlog/core'
import type { SessionEvent } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import type { AnyMessage } from '../output/message-text.ts'
import { eventLines } from '../output/event-line.ts'
import { printable, printableJson } from '../output/printable.ts'
import { wholeNumber } from './arguments.ts'

const KEEP_ALIVE_MS = 60_000

interface TailFlags {
  readonly limit: number
}

export function tailCommand(act: Act): Command {
  return new Command('tail')
    .description('the last events of a session, then each new one as it is recorded')
    .argument('<key>', 'the session; it need not exist yet')
    .option('-n, --limit <count>', 'how many of the last events to begin with', wholeNumber, 10)
    .addHelpText(
      'after',
      `
Ends with Ctrl-C. Follows other processes on a JSONL store. A LevelDB store cannot be read while another process has
it open, so there is nothing to follow: the last events are shown, and that is all. Use store.watch() in that process.
With --json: one object per line: the event as recorded, and effect: what it added to and removed from the view.

Examples:
  turnlog tail telegram:42 --store jsonl:./sessions
  turnlog tail telegram:42 --json | jq -c .event.type`,
    )
    .action(act(tail))
}

async function tail(context: Context, key: string, { limit }: TailFlags): Promise<void> {
  const { terminal, json } = context
  const signal = context.untilInterrupted()
  const store = await context.openToRead()
  const { version } = await store.load(key)
  const fold = new ViewFold()
  const print = async (event: SessionEvent<AnyMessage>, isShown: boolean): Promise<void> => {
    const effect = fold.apply(event)
    if (!isShown) return
    if (json) await terminal.line(printableJson({ event, effect }))
    else await terminal.lines(eventLines(terminal, event, effect))
  }
  for await (const event of store.events(key, { to: version })) await print(event, event.seq > version - limit)
  await terminal.flush()
  if (context.storeKind === 'leveldb') {
    terminal.note('A LevelDB store cannot be followed from another process. Use store.watch() in its own.')
    return
  }
  if (!json) terminal.note(terminal.colors.dim(`Following ${printable(key)}. Ctrl-C ends.`))
  // Watching alone does not keep a process alive, and here nothing else does.
  const alive = setInterval(() => undefined, KEEP_ALIVE_MS)
  try {
    for await (const event of store.watch(key, { after: version, signal })) {
      await print(event, true)
      await terminal.flush()
    }
  } finally {
    clearInterval(alive)
  }
}
