import { createHash } from 'node:crypto'

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

/** Takes keys of one hash for one key, as a table does that never looks at the key itself. */
function hashes(name: string, hash: (key: string) => string | number): Mutant {
  const firsts = new Map<string | number, string>()
  return keys(name, ['keys.weak-hashes'], (key) => {
    const first = firsts.get(hash(key)) ?? key
    firsts.set(hash(key), first)
    return first
  })
}

const folded = (key: string, fold: (hash: number, code: number) => number, start: number): number =>
  [...Buffer.from(key)].reduce((hash, code) => fold(hash, code) | 0, start)

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
  hashes("finds keys by Java's hash", (key) => folded(key, (hash, code) => Math.imul(31, hash) + code, 0)),
  hashes('finds keys by djb2', (key) => folded(key, (hash, code) => Math.imul(33, hash) + code, 5381)),
  hashes('finds keys by FNV-1a', (key) => folded(key, (hash, code) => Math.imul(hash ^ code, 16_777_619), 0x811c9dc5)),
  hashes('finds keys by 40 bits of SHA-256', (key) => createHash('sha256').update(key).digest('hex').slice(0, 10)),
  memoryMutant('takes a prefix of a key for a match', ['keys.prefixes', 'trim.sessions-apart'], (inner) => ({
    read: async function* (session, ranges, options) {
      for await (const heads of inner.list({ prefix: session })) {
        for (const head of heads) yield* inner.read(head.session, ranges, options)
      }
    },
  })),
]
