import { readFileSync } from 'node:fs'

import { cases } from '@turnlog/conformance'
import { describe, expect, test } from 'vitest'

import { mutants } from './mutants/index.ts'

const CONTRACT = ['backend', 'capabilities', 'event-record', 'maintenance']

interface Comment {
  readonly text: string
  readonly sentences: readonly string[]
  /** What follows `@case`: one entry for each sentence, in order, each a list of ids or `none` with a reason. */
  readonly proofs: readonly string[]
}

/** Every comment of the contract that documents something. */
function documentation(): Comment[] {
  return CONTRACT.flatMap((name) => {
    const source = readFileSync(new URL(`../../core/src/backend/${name}.ts`, import.meta.url), 'utf8')
    return [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, comment = '']) => {
      const lines = comment.replaceAll(/^\s*\* ?/gm, '').replaceAll(/@default [^\n]*/g, '')
      const [prose = '', tags = ''] = lines.split('@case')
      const text = prose.replaceAll(/^- /gm, '').replaceAll(/\s+/g, ' ').trim()
      return {
        text,
        sentences: text.split(/(?<=\.) (?=[A-Z`])/),
        proofs: tags.split(';').map((proof) => proof.replaceAll(/\s+/g, ' ').trim()),
      }
    })
  })
}

const ids = cases.map(({ id }) => id)

/** The cases that an entry names; `append.race.*` is every case whose id begins so. */
function named(entry: string): string[] {
  return entry.endsWith('.*') ? ids.filter((id) => id.startsWith(entry.slice(0, -1))) : ids.filter((id) => id === entry)
}

describe('the contract', () => {
  const comments = documentation()
  const entries = comments.flatMap(({ proofs }) => proofs.filter((proof) => !/^none \(.+\)$/.test(proof)))
  const namedIds = entries.flatMap((proof) => proof.split(' '))

  test('says for each of its sentences which cases test it, or why none can', () => {
    expect(comments.length).toBeGreaterThan(40)
    for (const { text, sentences, proofs } of comments) expect(proofs, text).toHaveLength(sentences.length)
  })

  test('names only cases that exist', () => {
    expect(namedIds.filter((entry) => named(entry).length === 0)).toEqual([])
  })

  test('names every case', () => {
    const covered = new Set(namedIds.flatMap(named))
    expect(ids.filter((id) => !covered.has(id))).toEqual([])
  })
})

describe('the cases', () => {
  test('have ids of their own, and one sentence each on what they promise and prevent', () => {
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(100)
    for (const { id, promise, prevents } of cases) {
      expect(id).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
      expect(promise, id).toMatch(/^[A-Z`a-z].*[.)]$/)
      expect(prevents, id).toMatch(/^[A-Z][^\n]{10,}\.$/)
    }
  })

  test('each have a mutant that they catch', () => {
    const caught = new Set(mutants.flatMap(({ caughtBy }) => caughtBy))
    expect(ids.filter((id) => !caught.has(id))).toEqual([])
  })
})
