import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { AnyStore, Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable } from '../output/printable.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { printResult } from './print-result.ts'
import { confirm } from './confirm.ts'

interface RemoveFlags {
  readonly erase?: boolean
  readonly yes?: boolean
  readonly reason?: string
}

export function removeCommand(act: Act): Command {
  return new Command('rm')
    .description('deletes sessions permanently')
    .argument('<keys...>', 'the sessions')
    .option(
      '--erase',
      'leave no trace, also of sessions deleted before; otherwise one event says so, and the numbering goes on',
    )
    .option('--reason <text>', 'recorded in that event')
    .option('-y, --yes', 'do it without asking')
    .addHelpText(
      'after',
      `
Ends with 1 if one of them is not there; the others are deleted all the same.
With --json: one object with deleted and missing (keys).

Example:
  turnlog rm telegram:42 --reason 'asked by the user'`,
    )
    .action(act(remove))
}

async function remove(context: Context, keys: readonly string[], flags: RemoveFlags): Promise<number> {
  const { erase = false, yes = false, reason } = flags
  const store = await context.openToWrite()
  const present: { readonly key: string; readonly version: number }[] = []
  const missing: string[] = []
  for (const key of new Set(keys)) {
    const { version } = await store.load(key)
    if (version > 0 || (erase && (await hasTrace(store, key)))) present.push({ key, version })
    else missing.push(key)
  }
  for (const key of missing) context.terminal.note(`There is no session ${printable(JSON.stringify(key))}.`)
  const question = `Delete ${present.map(({ key }) => printable(key)).join(', ')} permanently?`
  if (present.length > 0 && !(await confirm(context, yes, question))) return EXIT.problem
  const deleted: string[] = []
  for (const { key, version } of present) {
    // What was asked about is what goes: a session that was written to meanwhile is refused with CONFLICT.
    const options = { erase, expectedVersion: version, ...(reason === undefined ? undefined : { reason }) }
    const existed = await store.deleteSession(key, options)
    if (existed || version === 0) deleted.push(key)
  }
  // An erasure that was killed half-way is finished by asking again, although nothing can be seen of the session.
  if (erase) for (const key of missing) await store.deleteSession(key, { erase, expectedVersion: 0 })
  // Who is told of every session that it is missing needs no green mark.
  if (context.json || deleted.length > 0) {
    await printResult(context, { deleted, missing }, `Deleted ${formatNumberOf(deleted.length, 'session')}.`)
  }
  return missing.length === 0 ? EXIT.ok : EXIT.problem
}

/** A deleted session has no version any more, but events that say what became of it. */
async function hasTrace(store: AnyStore, key: string): Promise<boolean> {
  for await (const _event of store.events(key, { limit: 1 })) return true
  return false
}
