import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

async function sources(): Promise<string[]> {
  const found: string[] = []
  for (const place of ['packages', 'bench', 'proof', 'examples', 'test']) {
    for (const file of await readdir(join(root, place), { recursive: true })) {
      if (
        /\.(?:ts|mts|mjs|js)$/.test(file) &&
        !/(?:^|\/)(?:node_modules|dist|\.build)\//.test(file.replaceAll('\\', '/'))
      )
        found.push(join(place, file))
    }
  }
  return found
}

test('sources keep to one dialect', async () => {
  const wrong: string[] = []
  for (const file of await sources()) {
    if (file.endsWith('dialect.test.ts')) continue
    const lines = (await readFile(join(root, file), 'utf8')).split('\n')
    for (const [index, line] of lines.entries()) {
      const rule = DIALECT.find((candidate) => candidate.wrong.test(line))
      if (rule !== undefined) wrong.push(`${file}:${index + 1}: ${rule.instead}`)
    }
  }
  expect(wrong).toEqual([])
})
