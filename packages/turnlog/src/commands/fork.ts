import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { printResult } from './print-result.ts'
import { wholeNumber } from './arguments.ts'

interface ForkFlags {
  readonly at?: number
}

export function forkCommand(act: Act): Command {
  return new Command('fork')
    .description('a new session with the view, summary and metadata of another')
    .argument('<from>', 'the session that is there')
    .argument('<to>', 'the new one')
    .option('--at <version>', 'as it was at that version', wholeNumber)
    .addHelpText(
      'after',
      `
With --json: one object with version.

Example:
  turnlog fork telegram:42 experiment:1 --at 17`,
    )
    .action(act(fork))
}

async function fork(context: Context, from: string, to: string, { at }: ForkFlags): Promise<void> {
  const store = await context.openToWrite()
  const result = await store.fork(from, to, at === undefined ? {} : { at })
  await printResult(context, result, `Forked ${from}${at === undefined ? '' : ` at version ${at}`} to ${to}.`)
}
