import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What the linter has no rule for, and what to write instead. */
const DIALECT = [
  { wrong: /[+-]= 1$|[+-]= 1[);,]/, instead: 'count with ++ and --' },
  {
    wrong: /\b[A-Z][A-Z0-9_]*_(?:MOST|LEAST)\b|\b(?:MOST|LEAST)_[A-Z]/,
    instead: 'MAX_ and MIN_ begin the name of a bound',
  },
]

/**
 * Words that docs/dictionary.md retired and that mean nothing else in a program, with the word to use. They are
 * looked for in the words of a name, so that `hasLifeSign` and `LIFE_SIGNS` are both found.
 */
const RETIRED = [
  { word: /\b(?:life signs?|signs? of life)\b/, instead: 'liveness socket' },
  { word: /\b(?:animals?|zoo)\b/, instead: 'mutant' },
  { word: /\b(?:sound heads?|is sound|unsound)\b/, instead: 'intact' },
  { word: /\b(?:in doubt)\b/, instead: 'outcome unknown' },
  { word: /\b(?:loans?|loaned)\b/, instead: 'lease' },
  { word: /\b(?:quarantined?|quarantines)\b/, instead: 'set aside' },
  { word: /\b(?:idempotency keys?)\b/, instead: 'operation id' },
  { word: /\b(?:sanitised?|sanitises?|sanitized?)\b/, instead: 'normalise' },
  { word: /\b(?:purged?|purges|wiped?|wipes)\b/, instead: 'erase' },
  { word: /\b(?:moments? of|eras?)\b/, instead: 'snapshot' },
  { word: /\b(?:owner is gone|owner gone|left locks?)\b/, instead: 'stale lock' },
]

/** Comments and texts may quote a word; names may not. */
function identifiersOf(text: string): ReadonlySet<string> {
  const code = text
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''")
  return new Set(code.match(/[A-Za-z_$][\w$]*/g))
}

/** The words for what a name calls by a retired one. */
function insteadOf(name: string): readonly string[] {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase()
  return RETIRED.filter(({ word }) => word.test(words)).map(({ instead }) => instead)
}

/** Below a folder of the repository. What begins with a dot is made by tests that run beside this one. */
async function sourcesIn(place: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(join(root, place), { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules' || entry.name === 'dist') continue
    const path = join(place, entry.name)
    if (entry.isDirectory()) found.push(...(await sourcesIn(path)))
    else if (/\.(?:ts|mts|mjs|js)$/.test(entry.name)) found.push(path)
  }
  return found
}

async function sources(): Promise<string[]> {
  const found = await Promise.all(['packages', 'bench', 'proof', 'examples', 'test'].map(sourcesIn))
  return found.flat().filter((file) => basename(file) !== 'dialect.test.ts') // which names what it forbids
}

test('sources keep to one dialect', async () => {
  const wrong: string[] = []
  for (const file of await sources()) {
    const lines = (await readFile(join(root, file), 'utf8')).split('\n')
    for (const [index, line] of lines.entries()) {
      const rule = DIALECT.find((candidate) => candidate.wrong.test(line))
      if (rule !== undefined) wrong.push(`${file}:${index + 1}: ${rule.instead}`)
    }
  }
  expect(wrong).toEqual([])
})

test('names use no word that the dictionary retired', async () => {
  const wrong: string[] = []
  for (const file of await sources()) {
    const names = [...identifiersOf(await readFile(join(root, file), 'utf8')), basename(file, extname(file))]
    for (const name of names) {
      for (const instead of insteadOf(name)) wrong.push(`${file}: ${name}: the dictionary says ${instead}`)
    }
  }
  expect(wrong).toEqual([])
})

test.each([
  ['hasLifeSign', 'liveness socket'],
  ['ZOO_OF_BACKENDS', 'mutant'],
  ['isInDoubt', 'outcome unknown'],
])('a name such as %s is found', (name, instead) => {
  expect(insteadOf(name)).toEqual([instead])
})
