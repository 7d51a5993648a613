import { Command } from 'commander'
import { StoreError } from '@turnlog/core'
import type { RepairReport } from '@turnlog/core/backend'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable, printableJson } from '../output/printable.ts'
import { showProgress } from '../output/progress.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { formatProblem } from '../output/format-problem.ts'
import { makeBackend } from '../store/make-backend.ts'
import { checkPlace, storePlace } from '../store/store-place.ts'

interface RepairFlags {
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export function repairCommand(act: Act): Command {
  return new Command('repair')
    .description('makes a damaged store readable again: says what it would do, asks, keeps the damaged original')
    .option('-y, --yes', 'do it without asking')
    .option('--dry-run', 'only say what would be done')
    .addHelpText(
      'after',
      `
No process may have the store open. Ends with 0 if nothing had to be done or all was done, with 1 if it was only
said or was declined.
With --json: one object with applied, actions, backup; nothing is asked, so --yes is needed to repair.

Examples:
  turnlog repair --store jsonl:./sessions --dry-run
  turnlog repair --store jsonl:./sessions`,
    )
    .action(act(repair))
}

async function repair(context: Context, { yes = false, dryRun = false }: RepairFlags): Promise<number> {
  const { terminal, json } = context
  const { config, source } = await context.choose()
  const place = await storePlace(config)
  if (place !== undefined) checkPlace(place, source)
  const { maintenance, name } = await makeBackend(config)
  if (maintenance === undefined) {
    throw new StoreError('INVALID_CONFIG', `The backend ${JSON.stringify(name)} cannot be repaired by this command.`)
  }
  const progress = showProgress(terminal, 'Looking')
  const onProgress = (done: number, total: number): void => progress.update(done, total)
  const interrupted = new AbortController()
  const { signal } = interrupted
  let running: Promise<unknown> | undefined
  // It removes what it has made of a copy when it is told to stop.
  context.beforeExit(async () => {
    interrupted.abort()
    await running?.catch(() => undefined) // told where it was begun
  })
  const run = (apply: boolean): Promise<RepairReport> => {
    const repairing = maintenance.repair({ apply, onProgress, signal }).finally(() => progress.stop())
    running = repairing
    return repairing
  }
  const plan = await run(false)
  if (plan.actions.length === 0) {
    await terminal.line(json ? printableJson(plan, 2) : `${terminal.colors.green('✓')} There is nothing to repair.`)
    return EXIT.ok
  }
  if (!json) {
    await terminal.line(`Repair would make ${formatNumberOf(plan.actions.length, 'change')}:`)
    for (const action of plan.actions) await terminal.line(`  • ${formatProblem(action)}`)
    await terminal.line('The damaged original is kept.')
  } else if (dryRun || !yes) {
    await terminal.line(printableJson(plan, 2))
  }
  if (dryRun) return EXIT.problem
  if (!yes && !(await isConfirmed(context))) return EXIT.problem

  const report = await run(true)
  if (json) {
    await terminal.line(printableJson(report, 2))
    return EXIT.ok
  }
  const kept = report.backup === undefined ? '' : ` The damaged original is in ${printable(report.backup)}.`
  await terminal.line(
    `${terminal.colors.green('✓')} Repaired, ${formatNumberOf(report.actions.length, 'step')}.${kept}`,
  )
  return EXIT.ok
}

async function isConfirmed(context: Context): Promise<boolean> {
  const { terminal, json } = context
  if (json || !terminal.isInteractive) {
    terminal.note('Nothing was changed. Give --yes to do it where nobody can be asked.')
    return false
  }
  if (await context.ask('Repair now?')) return true
  terminal.note('Nothing was changed.')
  return false
}
