import { isStoreError } from '@turnlog/core'
import { printable, printableJson, printableLines } from './output/printable.ts'
import type { Terminal } from './output/terminal.ts'

/** What a person can do beyond what the message says. */
const ADVICE: Readonly<Record<string, string>> = {
  LOCKED:
    'A LevelDB store belongs to one process at a time. Stop that process or look at a copy of the directory; a JSONL store can be read while it is in use. See turnlog doctor.',
  CORRUPT:
    'Run turnlog verify to see all of it, and turnlog repair to see what can be done. turnlog export --skip-damaged saves all other sessions.',
  UNSUPPORTED: 'Nothing was changed. Install the version that wrote it, or a later one.',
  OUTCOME_UNKNOWN: 'Look with turnlog log whether it was written before you try again.',
}

/** On the error stream: for people in words, with `--json` as one object. */
export function reportError(terminal: Terminal, error: unknown, json: boolean): void {
  const message = error instanceof Error ? error.message : String(error)
  const code = isStoreError(error) ? error.code : 'UNEXPECTED'
  if (json) {
    terminal.note(printableJson({ error: { code, message } }))
    return
  }
  const { red, dim } = terminal.colors
  terminal.note(`${red('error')} ${printable(message)} ${dim(`[${code}]`)}`)
  const advice = ADVICE[code]
  if (advice !== undefined) terminal.note(dim(advice))
  // A bug: whoever mends it needs to know where.
  if (code === 'UNEXPECTED' && error instanceof Error) {
    for (const line of printableLines(error.stack ?? '').slice(1)) terminal.note(dim(line))
  }
}
