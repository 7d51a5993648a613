import type { TransferReport } from '@turnlog/transfer'
import type { Context } from '../context/context.ts'
import { EXIT } from '../context/exit-code.ts'
import { printable, printableJson } from '../output/printable.ts'
import { formatCount, formatNumberOf } from '../output/quantities.ts'

/** What a copy or an import did. @returns the exit code */
export async function printTransfer({ terminal, json }: Context, report: TransferReport): Promise<number> {
  const { ok, counts, events, problems } = report
  if (json) {
    await terminal.line(printableJson(report, 2))
    return ok ? EXIT.ok : EXIT.problem
  }
  const { green, red } = terminal.colors
  for (const { session, message } of problems) {
    await terminal.line(`${red('✗')} ${printable(`${JSON.stringify(session)}: ${message}`)}`)
  }
  const outcomes = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${formatCount(count)} ${status.replace('-', ' ')}`)
  const sentence = outcomes.length === 0 ? 'There was no session.' : `Sessions: ${outcomes.join(', ')}.`
  await terminal.line(`${ok ? green('✓') : red('✗')} ${sentence} ${formatNumberOf(events, 'event')} written.`)
  return ok ? EXIT.ok : EXIT.problem
}
