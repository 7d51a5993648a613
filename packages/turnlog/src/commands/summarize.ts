import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { StoreError } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { printCut } from './print-cut.ts'
import { wholeNumber } from './arguments.ts'

interface SummarizeFlags {
  readonly through: number
  readonly madeFrom: number
  readonly summary?: string
  readonly file?: string
}

export function summarizeCommand(act: Act): Command {
  return new Command('summarize')
    .description('sets a summary and cuts what it covers, in one write')
    .argument('<key>', 'the session')
    .requiredOption('--through <position>', 'the last message that the summary covers', wholeNumber)
    .requiredOption('--made-from <version>', 'the version that was read to write it', wholeNumber)
    .option('--summary <text>', 'the summary')
    .option('--file <path>', 'the summary is in this file')
    .addHelpText(
      'after',
      `
Refused with 1 if another summary or cut came after that version. Messages added meanwhile stay.
With --json: one object with version, kept, removed, moved.

Example:
  turnlog summarize telegram:42 --through 17 --made-from 20 --summary 'They chose the train.'`,
    )
    .action(act(summarize))
}

async function summarize(context: Context, key: string, flags: SummarizeFlags): Promise<void> {
  const summary = textOf(flags)
  const store = await context.openToWrite()
  const { version } = await store.load(key)
  context.requireSession(key, version > 0)
  const result = await store.summarize(key, { summary, through: flags.through, version: flags.madeFrom })
  await printCut(context, key, result, version)
}

function textOf({ summary, file }: SummarizeFlags): string {
  if ((summary === undefined) === (file === undefined)) {
    throw new StoreError('INVALID_ARGUMENT', 'Give one of: --summary, --file.')
  }
  if (file === undefined) return summary ?? ''
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch (error) {
    throw new StoreError('IO', `Cannot read ${file}: ${(error as Error).message}`, { file, cause: error })
  }
}
