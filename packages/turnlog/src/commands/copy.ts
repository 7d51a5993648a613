import { Command } from 'commander'
import { copyStore } from '@turnlog/transfer'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { showProgress } from '../output/progress.ts'
import { printTransfer } from './print-transfer.ts'
import { chooseStore } from '../store/choose-store.ts'
import { makeBackend } from '../store/make-backend.ts'
import { checkPlace, isVacant, storePlace } from '../store/store-place.ts'

export function copyCommand(act: Act): Command {
  return new Command('copy')
    .description('copies every session into another store, event by event, and checks what was written')
    .argument('<to>', 'the other store, such as jsonl:./copy; it is made if it is not there')
    .addHelpText(
      'after',
      `
A session that is there already is continued if it is an earlier part of the same, and never changed otherwise.
Repeating a copy that was interrupted is safe. Ends with 1 if a session could not be copied.
With --json: one object with ok, counts, events, problems.

Example:
  turnlog copy jsonl:./readable --store leveldb:./sessions`,
    )
    .action(act(copy))
}

async function copy(context: Context, to: string): Promise<number> {
  const { config, source } = await context.choose()
  const place = await storePlace(config)
  if (place !== undefined) checkPlace(place, source)
  const target = await chooseStore({ option: to, environment: {}, directory: process.cwd() })
  const targetPlace = await storePlace(target.config)
  if (targetPlace !== undefined && !isVacant(targetPlace)) checkPlace(targetPlace, to)

  const reader = await makeBackend(config)
  const writer = await makeBackend(target.config)
  context.beforeExit(() => reader.close())
  context.storeKind = place?.asked
  await reader.open({ readOnly: true })
  context.beforeExit(() => writer.close())
  context.storeKind = targetPlace?.asked
  await writer.open()
  const progress = showProgress(context.terminal, 'Copying')
  const report = await copyStore(reader, writer, {
    onProgress: ({ done, total = done }) => progress.update(done, total),
  }).finally(() => progress.stop())
  return printTransfer(context, report)
}
