import { Command } from 'commander'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { printable, printableJson } from '../output/printable.ts'
import { formatAge, formatBytes, formatCount } from '../output/quantities.ts'

export function statsCommand(act: Act): Command {
  return new Command('stats')
    .description('how many sessions, messages and events there are, and what they take')
    .addHelpText(
      'after',
      `
With --json: one object with the fields of store.stats() of the library.

Example:
  turnlog stats --store leveldb:./sessions`,
    )
    .action(act(stats))
}

async function stats(context: Context): Promise<void> {
  const { terminal } = context
  const { source } = await context.choose()
  const store = await context.openToRead()
  const result = await store.stats()
  if (context.json) {
    await terminal.line(printableJson(result, 2))
    return
  }
  const { sessions, deletedSessions, events, messages, liveBytes, bytes, diskBytes, oldestUpdate, newestUpdate } =
    result
  const ago = (time: number | undefined): string => (time === undefined ? '–' : `${formatAge(Date.now() - time)} ago`)
  const rows: readonly (readonly [string, string])[] = [
    ['sessions', formatCount(sessions)],
    ['deleted sessions', formatCount(deletedSessions)],
    ['messages in view', formatCount(messages)],
    ['events', formatCount(events)],
    ['size of the views', formatBytes(liveBytes)],
    ['size of the events', formatBytes(bytes)],
    ...(diskBytes === undefined ? [] : [['on disk', formatBytes(diskBytes)] as const]),
    ['newest write', ago(newestUpdate)],
    ['longest idle', ago(oldestUpdate)],
  ]
  await terminal.line(terminal.colors.dim(printable(source)))
  for (const [name, value] of rows)
    await terminal.line(`  ${name.padEnd(20)}${terminal.colors.bold(value.padStart(12))}`)
}
