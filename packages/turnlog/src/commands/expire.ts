import { Command } from 'commander'
import type { Act } from '../act.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { tellResult } from '../output/tell-result.ts'
import { agree } from './agree.ts'
import { duration } from './arguments.ts'

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
    .option('--dry-run', 'only count them')
    .option('-y, --yes', 'do it without asking')
    .addHelpText(
      'after',
      `
With --json: one object with sessions: how many were (or would be) deleted.

Example:
  turnlog expire --idle-for 30d --prefix guest: --dry-run`,
    )
    .action((flags: ExpireFlags, command: Command) => act(command, (context) => expire(context, flags)))
}

async function expire(context: Context, flags: ExpireFlags): Promise<number> {
  const { idleFor, prefix, dryRun = false, yes = false } = flags
  const range = prefix === undefined ? {} : { prefix }
  const store = dryRun ? await context.openToRead() : await context.openToWrite()
  const before = Date.now() - idleFor
  let sessions = 0
  for await (const { updatedAt } of store.listSessions(range)) if (updatedAt < before) sessions += 1
  if (dryRun || sessions === 0) {
    await tellResult(context, { sessions }, `${formatNumberOf(sessions, 'session')} idle for so long.`)
    return EXIT.ok
  }
  if (!(await agree(context, yes, `Delete ${formatNumberOf(sessions, 'session')} for good?`))) return EXIT.problem
  const result = await store.expire({ idleForMs: idleFor, ...range })
  await tellResult(context, result, `Deleted ${formatNumberOf(result.sessions, 'session')}.`)
  return EXIT.ok
}
