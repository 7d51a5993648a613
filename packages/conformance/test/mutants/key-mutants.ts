import { memoryMutant } from './mutant.ts'
import type { Mutant } from './mutant.ts'

/** Changes every key on its way in, as a lossy encoding does. */
function keys(name: string, caughtBy: readonly string[], change: (key: string) => string): Mutant {
  return memoryMutant(name, caughtBy, (inner) => ({
    append: (session, ...rest) => inner.append(change(session), ...rest),
    read: (session, ...rest) => inner.read(change(session), ...rest),
    head: (session) => inner.head(change(session)),
    erase: (session, ...rest) => inner.erase(change(session), ...rest),
  }))
}

export const keyMutants: readonly Mutant[] = [
  keys('replaces separators in keys', ['keys.separators', 'keys.pairs'], (key) => key.replaceAll(/[:/\\]/g, '_')),
  keys('ignores case in keys', ['keys.case', 'keys.pairs'], (key) => key.toLowerCase()),
  keys('normalises Unicode in keys', ['keys.unicode'], (key) => key.normalize('NFC')),
  keys('takes compatible characters for one', ['keys.unicode'], (key) => key.normalize('NFKC')),
  keys('trims spaces and dots of keys', ['keys.windows-names'], (key) => key.replaceAll(/^ +|[ .]+$/g, '') || key),
  keys('resolves dots in keys', ['keys.paths'], (key) => new URL(key.replaceAll('\\', '/'), 'file:///root/').pathname),
  keys('cuts keys at 255', ['keys.lengths'], (key) => key.slice(0, 255)),
  keys('removes joiners from emoji', ['keys.emoji'], (key) => key.replaceAll('\u200d', '')),
  keys('decodes percent signs in keys', ['keys.separators'], (key) =>
    key.replaceAll(/%(2F|3A)/g, (text) => decodeURIComponent(text)),
  ),
  keys('drops a file extension', ['keys.own-names'], (key) => key.replace(/(.)\.(jsonl?|tmp|torn)$/, '$1')),
  memoryMutant('takes a prefix of a key for a match', ['keys.prefixes', 'trim.sessions-apart'], (inner) => ({
    read: async function* (session, ranges, options) {
      for await (const heads of inner.list({ prefix: session })) {
        for (const head of heads) yield* inner.read(head.session, ranges, options)
      }
    },
  })),
]
