import { Command } from 'commander'
import { StoreError } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { AnyStore, Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable } from '../output/printable.ts'
import { showProgress } from '../output/progress.ts'
import { formatBytes, formatNumberOf } from '../output/quantities.ts'
import { printResult } from './print-result.ts'
import { confirm } from './confirm.ts'

interface CompactFlags {
  readonly all?: boolean
  readonly yes?: boolean
}

export function compactCommand(act: Act): Command {
  return new Command('compact')
    .description('removes events that no longer contribute, permanently: what was cut can then not be restored')
    .argument('[key]', 'the session')
    .option('--all', 'every session')
    .option('-y, --yes', 'do it without asking')
    .addHelpText(
      'after',
      `
With --json: one object with sessions, eventsRemoved, bytesFreed.

Examples:
  turnlog compact telegram:42
  turnlog compact --all --yes`,
    )
    .action(act(compact))
}

async function compact(context: Context, key: string | undefined, flags: CompactFlags): Promise<number> {
  const { all = false, yes = false } = flags
  if ((key === undefined) === !all) throw new StoreError('INVALID_ARGUMENT', 'Give one of: a key, --all.')
  const store = await context.openToWrite()
  const keys = key === undefined ? await keysOf(store) : [key]
  if (key !== undefined) context.requireSession(key, (await store.load(key)).version > 0)
  const what = key === undefined ? formatNumberOf(keys.length, 'session') : printable(key)
  if (!(await confirm(context, yes, `Compact ${what}? What was cut cannot be restored afterwards.`)))
    return EXIT.problem
  const progress = showProgress(context.terminal, 'Compacting')
  let eventsRemoved = 0
  let bytesFreed = 0
  for (const [index, one] of keys.entries()) {
    const freed = await store.compact(one)
    eventsRemoved += freed.eventsRemoved
    bytesFreed += freed.bytesFreed
    progress.update(index + 1, keys.length)
  }
  progress.stop()
  const sentence = `Removed ${formatNumberOf(eventsRemoved, 'event')}, ${formatBytes(bytesFreed)} freed.`
  await printResult(context, { sessions: keys.length, eventsRemoved, bytesFreed }, sentence)
  return EXIT.ok
}

async function keysOf(store: AnyStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.listSessions()) keys.push(key)
  return keys
}
