import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { Command } from 'commander'
import { isStoreError, StoreError } from '@turnlog/core'
import { importSessions } from '@turnlog/transfer'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printTransfer } from './print-transfer.ts'
import { reportError } from '../context/report-error.ts'
import { requireExport } from './require-export.ts'

interface ImportFlags {
  readonly create?: boolean
}

export function importCommand(act: Act): Command {
  return new Command('import')
    .description('brings in what export wrote: the same sessions, event by event, checked after writing')
    .argument('[file]', 'what export wrote; without it: the input')
    .option('--create', 'make the store if there is none')
    .addHelpText(
      'after',
      `
A session that is there already is continued if it is an earlier part of the same, and never changed otherwise.
Repeating an import that was interrupted is safe. Ends with 1 if a session could not be
brought in, or the export is damaged.
With --json: one object with ok, counts, events, problems.

Examples:
  turnlog import backup.jsonl --store leveldb:./sessions --create
  turnlog export --store leveldb:./old | turnlog import --store jsonl:./new --create`,
    )
    .action(act(importFrom))
}

async function importFrom(context: Context, file: string | undefined, { create }: ImportFlags): Promise<number> {
  if (file !== undefined) await checkReadable(file)
  // Nobody is asked for input before it is known where it would go.
  await context.choose()
  const input: AsyncIterable<Uint8Array> = file === undefined ? context.terminal.input : readFile(file)
  const source = await requireExport(input, file ?? 'The input')
  const store = await context.openToWrite({ create: create === true })
  try {
    return await printTransfer(context, await importSessions(store, source))
  } catch (error) {
    if (!isOfTheExport(error)) throw error
    // The message says what to do. Nothing is wrong with the store, so that verify and repair have nothing to do.
    reportError(context, error, { advice: undefined })
    return EXIT.problem
  }
}

/** Damage to the store names a session or a file. */
function isOfTheExport(error: unknown): boolean {
  const isDamage = isStoreError(error, 'CORRUPT') || isStoreError(error, 'UNSUPPORTED')
  return isDamage && error.session === undefined && error.file === undefined
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new StoreError('IO', `Cannot read ${file}: ${(error as Error).message}`, { file, cause: error })
  }
}

async function checkReadable(file: string): Promise<void> {
  try {
    await access(file)
  } catch (error) {
    throw new StoreError('NOT_FOUND', `Cannot read ${file}: ${(error as Error).message}`, { file, cause: error })
  }
}
