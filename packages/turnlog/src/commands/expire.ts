import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable } from '../output/printable.ts'
import { formatCount, formatNumberOf } from '../output/quantities.ts'
import { printResult } from './print-result.ts'
import { confirm } from './confirm.ts'
import { duration } from './arguments.ts'

/** On a terminal, so that the question stays in sight. */
const MAX_KEYS = 20

interface ExpireFlags {
  readonly idleFor: number
  readonly prefix?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
}

export function expireCommand(act: Act): Command {
  return new Command('expire')
    .description('deletes sessions that nobody has written to for a time')
    .requiredOption('--idle-for <time>', 'such as 90m, 12h, 30d, 8w', duration)
    .option('--prefix <prefix>', 'only keys that begin with it')
    .option('--dry-run', 'only say which')
    .option('-y, --yes', 'do it without asking')
    .addHelpText(
      'after',
      `
With --json: one object with sessions: how many were (or would be) deleted, and with --dry-run: keys.

Example:
  turnlog expire --idle-for 30d --prefix guest: --dry-run`,
    )
    .action(act(expire))
}

async function expire(context: Context, flags: ExpireFlags): Promise<number> {
  const { idleFor, prefix, dryRun = false, yes = false } = flags
  const range = prefix === undefined ? {} : { prefix }
  const store = dryRun ? await context.openToRead() : await context.openToWrite()
  const before = Date.now() - idleFor
  const keys: string[] = []
  for await (const { key, updatedAt } of store.listSessions(range)) if (updatedAt < before) keys.push(key)
  const sessions = keys.length
  // What goes for good is shown by name first, to whoever only asks and to whoever is asked.
  if (!context.json && (dryRun || !yes)) await printKeys(context, keys)
  if (dryRun || sessions === 0) {
    const result = dryRun ? { sessions, keys } : { sessions }
    const found = `${formatNumberOf(sessions, 'session')} would be deleted.`
    await printResult(context, result, sessions === 0 ? 'No session has been idle for that long.' : found)
    return EXIT.ok
  }
  if (!(await confirm(context, yes, `Delete ${formatNumberOf(sessions, 'session')} permanently?`))) return EXIT.problem
  const result = await store.expire({ idleForMs: idleFor, ...range })
  await printResult(context, result, `Deleted ${formatNumberOf(result.sessions, 'session')}.`)
  return EXIT.ok
}

async function printKeys({ terminal }: Context, keys: readonly string[]): Promise<void> {
  const shown = terminal.isTerminal ? keys.slice(0, MAX_KEYS) : keys
  for (const key of shown) await terminal.line(`  ${printable(key)}`)
  const left = keys.length - shown.length
  if (left > 0) await terminal.line(`  and ${formatCount(left)} more: add --dry-run | less to see all`)
}
