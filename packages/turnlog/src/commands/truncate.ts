import { Command } from 'commander'
import { StoreError } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { printCut } from './print-cut.ts'
import { wholeNumber } from './arguments.ts'

interface TruncateFlags {
  readonly keep?: number
  readonly before?: number
  readonly exact?: boolean
  readonly expect?: number
}

export function truncateCommand(act: Act): Command {
  return new Command('truncate')
    .description('cuts the view; nothing is deleted, restore brings it back until compact')
    .argument('<key>', 'the session')
    .option('--keep <count>', 'keep the last <count> messages', wholeNumber)
    .option('--before <position>', 'cut everything before this message', wholeNumber)
    .option('--exact', 'cut just there, even between a tool call and its results')
    .option('--expect <version>', 'only if the session is at this version', wholeNumber)
    .addHelpText(
      'after',
      `
With --json: one object with version, kept, removed, moved.

Example:
  turnlog truncate telegram:42 --keep 20`,
    )
    .action(act(truncate))
}

async function truncate(context: Context, key: string, flags: TruncateFlags): Promise<void> {
  const { keep, before, exact = false, expect } = flags
  if ((keep === undefined) === (before === undefined)) {
    throw new StoreError('INVALID_ARGUMENT', 'Give one of: --keep, --before.')
  }
  const store = await context.openToWrite()
  const { version } = await store.load(key)
  context.requireSession(key, version > 0)
  const cut = before === undefined ? (keep ?? 0) : { before }
  const result = await store.truncateHistory(key, cut, {
    exact,
    ...(expect === undefined ? undefined : { expectedVersion: expect }),
  })
  await printCut(context, key, result, version)
}
