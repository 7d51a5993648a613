import { Command, Option } from 'commander'
import type { SessionInfo } from '@turnlog/core'
import type { Act } from '../context/act.ts'
import type { Context } from '../context/context.ts'
import { printable, printableJson } from '../output/printable.ts'
import { formatAge, formatBytes, formatCount, formatNumberOf } from '../output/quantities.ts'
import { wholeNumber } from './arguments.ts'

const ORDERS = {
  updated: (info: SessionInfo): number => -info.updatedAt,
  created: (info: SessionInfo): number => -info.createdAt,
  messages: (info: SessionInfo): number => -info.messages,
  version: (info: SessionInfo): number => -info.version,
  size: (info: SessionInfo): number => -info.bytes,
} as const

interface ListFlags {
  readonly prefix?: string
  readonly after?: string
  readonly limit?: number
  readonly sort: 'key' | keyof typeof ORDERS
  readonly reverse?: boolean
  readonly keys?: boolean
}

export function listCommand(act: Act): Command {
  return new Command('list')
    .alias('ls')
    .description('sessions, with age, messages and size')
    .argument('[prefix]', 'only keys that begin with it')
    .option('--after <key>', 'only keys after this one, in byte order')
    .option('-n, --limit <count>', 'show at most <count> sessions', wholeNumber)
    .addOption(
      new Option('-s, --sort <by>', 'anything but key reads the whole listing before the first line')
        .choices(['key', ...Object.keys(ORDERS)])
        .default('key'),
    )
    .option('-r, --reverse', 'reverse the order')
    .option('-k, --keys', 'only the keys, one per line')
    .addHelpText(
      'after',
      `
Without --sort and --reverse the listing streams: it costs no memory, and the first line comes at once.
With --json: one object per line, with key, version, messages, metadata, createdAt, updatedAt, bytes.

Examples:
  turnlog list --store jsonl:./sessions
  turnlog list telegram: --sort updated -n 20
  turnlog list --json | jq -r 'select(.messages > 100) | .key'`,
    )
    .action(act(list))
}

async function list(context: Context, prefix: string | undefined, given: ListFlags): Promise<void> {
  const flags = prefix === undefined ? given : { ...given, prefix }
  const { terminal } = context
  const store = await context.openToRead()
  const format = lineFormat(context, flags)
  if (!context.json && flags.keys !== true) {
    await terminal.line(terminal.colors.dim(' UPDATED  MESSAGES   VERSION       SIZE  KEY'))
  }
  let count = 0
  for await (const info of sessions(store, flags)) {
    await terminal.line(format(info))
    count++
  }
  if (terminal.isTerminal && !context.json && flags.keys !== true) {
    await terminal.line(terminal.colors.dim(formatNumberOf(count, 'session')))
  }
}

async function* sessions(
  store: Awaited<ReturnType<Context['openToRead']>>,
  { prefix, after, limit, sort, reverse }: ListFlags,
): AsyncGenerator<SessionInfo> {
  const range = { ...(prefix === undefined ? undefined : { prefix }), ...(after === undefined ? undefined : { after }) }
  if (sort === 'key' && reverse !== true) {
    yield* store.listSessions({ ...range, ...(limit === undefined ? undefined : { limit }) })
    return
  }
  const all: SessionInfo[] = []
  let failure: unknown
  try {
    for await (const info of store.listSessions(range)) all.push(info)
  } catch (error) {
    failure = error
  }
  if (sort !== 'key') all.sort((a, b) => ORDERS[sort](a) - ORDERS[sort](b))
  if (reverse === true) all.reverse()
  yield* limit === undefined ? all : all.slice(0, limit)
  // One damaged session does not hide the others, in this order as little as in that of the keys.
  if (failure !== undefined) throw failure
}

function lineFormat({ json, terminal }: Context, { keys }: ListFlags): (info: SessionInfo) => string {
  if (json) return (info) => printableJson(info)
  if (keys === true) return ({ key }) => printable(key)
  const now = Date.now()
  return ({ key, version, messages, updatedAt, bytes }) => {
    const age = formatAge(now - updatedAt).padStart(8)
    const counts = `${formatCount(messages).padStart(8)}  ${formatCount(version).padStart(8)}`
    return `${age}  ${counts}  ${terminal.colors.dim(formatBytes(bytes).padStart(9))}  ${printable(key)}`
  }
}
