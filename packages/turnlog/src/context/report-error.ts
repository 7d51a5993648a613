import { isStoreError } from '@turnlog/core'
import type { Context } from './context.ts'
import { printable, printableJson, printableLines } from '../output/printable.ts'

/** What a person can do beyond what the message says. */
const ADVICE: Readonly<Record<string, string>> = {
  CORRUPT:
    'Run turnlog verify to see all of it, and turnlog repair to see what can be done. turnlog export --skip-damaged saves all other sessions.',
  UNSUPPORTED: 'Nothing was changed. Install the version that wrote it, or a later one.',
  OUTCOME_UNKNOWN: 'Look with turnlog log whether it was written before you try again.',
}

/** Not of a session but of what all of them are in: such a store does not open, neither to verify it nor to export. */
const WHOLE_STORE_DAMAGED = 'Nothing was changed. Run turnlog repair --dry-run to see what can be done.'

const WHEN_LOCKED: Readonly<Record<'leveldb' | 'jsonl' | 'sqlite' | 'other', string>> = {
  leveldb:
    'A LevelDB store belongs to one process at a time, also for reading. Stop that process, let it export (exportSessions), or take a snapshot of the directory with the file system and look at that. See turnlog doctor, and "Locks" in docs/operating.md.',
  jsonl:
    'Only one process writes to a JSONL store. Commands that read need no lock and work meanwhile; to write, stop that process. See turnlog doctor.',
  sqlite:
    'Any number of processes use a SQLite store, but a repair needs it for itself. Close it everywhere else first.',
  other: 'Stop that process first. See turnlog doctor.',
}

interface ReportOptions {
  /** What else a person can do; `undefined`: nothing. @default by the code of the error */
  readonly advice?: string | undefined
}

/** On the error stream: for people in words, with `--json` as one object. */
export function reportError(context: Context, error: unknown, options: ReportOptions = {}): void {
  const { terminal, json } = context
  const message = error instanceof Error ? error.message : String(error)
  const code = isStoreError(error) ? error.code : 'UNEXPECTED'
  if (json) {
    terminal.note(printableJson({ error: { code, message } }))
    return
  }
  const { red, dim } = terminal.colors
  terminal.note(`${red('error')} ${printable(message)} ${dim(`[${code}]`)}`)
  const reason = systemError(error)
  if (code === 'IO' && reason !== undefined && !message.includes(reason)) terminal.note(`cause ${printable(reason)}`)
  const advice = 'advice' in options ? options.advice : adviceOn(error, context)
  if (advice !== undefined) terminal.note(dim(advice))
  // A bug: whoever mends it needs to know where.
  if (code === 'UNEXPECTED' && error instanceof Error) {
    for (const line of printableLines(error.stack ?? '').slice(1)) terminal.note(dim(line))
  }
}

/** What the operating system or LevelDB said, deepest below an error. Other causes may quote what was being stored. */
function systemError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  const isKnown = typeof code === 'string' && /^(E[A-Z0-9]+|LEVEL_IO_ERROR)$/.test(code)
  return systemError(error.cause) ?? (isKnown ? error.message : undefined)
}

function adviceOn(error: unknown, { storeKind }: Context): string | undefined {
  if (!isStoreError(error)) return undefined
  const { code, session } = error
  if (code === 'LOCKED') return WHEN_LOCKED[storeKind ?? 'other']
  // Of a JSONL store every file is one session, also where the file does not say any more of which.
  if (code === 'CORRUPT' && session === undefined && storeKind !== 'jsonl') return WHOLE_STORE_DAMAGED
  return ADVICE[code]
}
