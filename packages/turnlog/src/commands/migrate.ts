import { statSync } from 'node:fs'
import { Command } from 'commander'
import { StoreError } from '@turnlog/core'
import { migrateDirectory } from '@turnlog/importers'
import type { MigratedFile, MigrationReport } from '@turnlog/importers'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable, printableJson } from '../output/printable.ts'
import { showProgress } from '../output/progress.ts'
import { formatCount, formatNumberOf } from '../output/quantities.ts'
import { isVacant, storePlace } from '../store/store-place.ts'

interface MigrateFlags {
  readonly dryRun?: boolean
  readonly create?: boolean
}

export function migrateCommand(act: Act): Command {
  return new Command('migrate')
    .description('brings in a legacy directory: *.json snapshots, and *.jsonl logs with their *.meta.json')
    .argument('<directory>', 'the legacy directory')
    .option('--dry-run', 'only say what would happen')
    .option('--create', 'make the store if there is none')
    .addHelpText(
      'after',
      `
Files that were brought in are renamed to *.migrated, never deleted. Repeating it is safe. Ends with 1 if a file could
not be brought in; it is then left as it is.
With --json: one object with directory, dryRun, files, counts, messages.

Examples:
  turnlog migrate ./old-sessions --store leveldb:./sessions --create --dry-run
  turnlog migrate ./old-sessions --store leveldb:./sessions --create`,
    )
    .action(act(migrate))
}

async function migrate(context: Context, directory: string, flags: MigrateFlags): Promise<number> {
  const { terminal, json } = context
  const { dryRun = false, create = false } = flags
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new StoreError('NOT_FOUND', `There is no directory ${directory}.`, { file: directory })
  }
  const run = async (foresee: boolean): Promise<MigrationReport> => {
    const store = await (foresee ? context.openForDryRun({ create }) : context.openToWrite({ create }))
    const progress = showProgress(terminal, foresee ? 'Looking' : 'Migrating')
    return migrateDirectory(store, directory, {
      dryRun: foresee,
      onProgress: ({ done, total }) => progress.update(done, total),
    }).finally(() => progress.stop())
  }
  // A store is not made for nothing: a mistyped directory would leave an empty one.
  const isMade = create && !dryRun && isVacant(await storePlace((await context.choose()).config))
  const foreseen = isMade ? await run(true) : undefined
  const isInVain = foreseen?.counts.imported === 0
  const report = isInVain ? { ...foreseen, dryRun } : await run(dryRun)
  const { counts, files, messages } = report
  const isOk = counts.conflict + counts.invalid + counts.failed === 0
  if (json) {
    await terminal.line(printableJson(report, 2))
    return isOk ? EXIT.ok : EXIT.problem
  }
  for (const file of files) if (isWorthTelling(file)) await terminal.line(`  ${formatFile(file)}`)
  const outcomes = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${formatCount(count)} ${status.replace('-', ' ')}`)
  const sentence = outcomes.length === 0 ? 'There was nothing to migrate.' : `Files: ${outcomes.join(', ')}.`
  const mark = isOk ? terminal.colors.green('✓') : terminal.colors.red('✗')
  const would = dryRun ? ' This was a dry run: nothing was changed.' : isInVain ? ' No store was made.' : ''
  await terminal.line(`${mark} ${sentence} ${formatNumberOf(messages, 'message')}.${would}`)
  return isOk ? EXIT.ok : EXIT.problem
}

function isWorthTelling({ status, badLines }: MigratedFile): boolean {
  return status !== 'imported' || badLines !== undefined
}

function formatFile({ file, status, reason, badLines }: MigratedFile): string {
  const lines = badLines === undefined ? '' : ` (lines that are no messages: ${badLines.slice(0, 10).join(', ')})`
  return printable(`${status.padEnd(14)}${file}${reason === undefined ? '' : `: ${reason}`}${lines}`)
}
