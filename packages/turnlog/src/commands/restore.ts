import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { printResult } from './print-result.ts'
import { wholeNumber } from './arguments.ts'

interface RestoreFlags {
  readonly at: number
  readonly expect?: number
}

export function restoreCommand(act: Act): Command {
  return new Command('restore')
    .description('brings view and summary back to what they were at a version; that can be undone as well')
    .argument('<key>', 'the session')
    .requiredOption('--at <version>', 'the version', wholeNumber)
    .option('--expect <version>', 'only if the session is at this version', wholeNumber)
    .addHelpText(
      'after',
      `
See turnlog log for the versions: each event is one. With --json: one object with version.

Example:
  turnlog restore telegram:42 --at 17`,
    )
    .action(act(restore))
}

async function restore(context: Context, key: string, { at, expect }: RestoreFlags): Promise<void> {
  const store = await context.openToWrite()
  const { version } = await store.load(key)
  context.requireSession(key, version > 0)
  const result = await store.restore(key, { at }, expect === undefined ? {} : { expectedVersion: expect })
  const { messages } = await store.load(key)
  const view = `${formatNumberOf(messages.length, 'message')} in view (now at version ${result.version})`
  await printResult(context, result, `Restored to version ${at}: ${view}. Undo: turnlog restore ${key} --at ${version}`)
}
