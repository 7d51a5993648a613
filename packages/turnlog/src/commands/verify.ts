import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printableJson } from '../output/printable.ts'
import { showProgress } from '../output/progress.ts'
import { formatNumberOf } from '../output/quantities.ts'
import { formatProblem } from '../output/format-problem.ts'

export function verifyCommand(act: Act): Command {
  return new Command('verify')
    .description('reads everything, compares it with its checksums and with what is derived from it, changes nothing')
    .argument('[key]', 'only this session')
    .addHelpText(
      'after',
      `
Ends with 1 if a problem was found, with 4 if the store is too damaged to be opened.
With --json: one object with ok, sessions, events, problems.

Example:
  turnlog verify --store leveldb:./sessions && cp -a sessions backup`,
    )
    .action(act(verify))
}

async function verify(context: Context, key: string | undefined): Promise<number> {
  const { terminal } = context
  const progress = showProgress(terminal, 'Verifying')
  const store = await context.openToRead((done, total) => progress.update(done, total))
  const report = await store.verify(key).finally(() => progress.stop())
  if (key !== undefined) context.requireSession(key, report.sessions > 0)
  if (context.json) {
    await terminal.line(printableJson(report, 2))
  } else {
    const { green, red } = terminal.colors
    for (const problem of report.problems) await terminal.line(`${red('✗')} ${formatProblem(problem)}`)
    const checked = `${formatNumberOf(report.sessions, 'session')}, ${formatNumberOf(report.events, 'event')}`
    await terminal.line(
      report.ok
        ? `${green('✓')} ${checked}: no problems found.`
        : `${formatNumberOf(report.problems.length, 'problem')} in ${checked}. Nothing was changed; turnlog repair says what can be done.`,
    )
  }
  return report.ok ? EXIT.ok : EXIT.problem
}
