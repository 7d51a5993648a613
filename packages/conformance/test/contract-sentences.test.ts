import { readFileSync } from 'node:fs'
import { cases, contractSentences } from '@turnlog/conformance'
import { describe, expect, test } from 'vitest'
import { zoo } from './zoo/index.ts'

const CONTRACT = ['backend', 'capabilities', 'event-record', 'maintenance']

/** The sentences of every comment that documents something, without tags and list marks. */
function documentedSentences(): string[] {
  return CONTRACT.flatMap((name) => {
    const source = readFileSync(new URL(`../../core/src/backend/${name}.ts`, import.meta.url), 'utf8')
    return [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap(([, comment = '']) => {
      const text = comment
        .replaceAll(/^\s*\* ?/gm, '')
        .replaceAll(/@default [^\n]*/g, '')
        .replaceAll(/^- /gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim()
      return text.split(/(?<=\.) (?=[A-Z`])/).filter((sentence) => sentence !== '')
    })
  })
}

describe('the contract', () => {
  const documented = documentedSentences()
  const known = new Set(cases.map(({ id }) => id))
  const caught = new Set(zoo.flatMap(({ caughtBy }) => caughtBy))

  test('has no sentence that the table of proofs does not know', () => {
    expect(documented.length).toBeGreaterThan(80)
    expect(documented.filter((sentence) => !(sentence in contractSentences))).toEqual([])
  })

  test('has lost no sentence that the table of proofs still knows', () => {
    expect(Object.keys(contractSentences).filter((sentence) => !documented.includes(sentence))).toEqual([])
  })

  test('is proven by cases that exist', () => {
    const named = Object.values(contractSentences).flatMap((proof) => ('because' in proof ? [] : proof))
    expect(named.filter((id) => !known.has(id))).toEqual([])
  })

  test('has a broken backend for every promise', () => {
    const unbroken = Object.entries(contractSentences).filter(
      ([, proof]) => !('because' in proof) && !proof.some((id) => caught.has(id)),
    )
    expect(unbroken).toEqual([])
  })

  test('has cases with ids of their own, and a promise that is one sentence', () => {
    expect(known.size).toBe(cases.length)
    expect(cases.length).toBeGreaterThan(100)
    for (const { id, promise } of cases) {
      expect(id).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
      expect(promise, id).toMatch(/^[A-Z`a-z].*[.)]$/)
    }
  })

  test('has a broken backend for every case', () => {
    const survived = cases.map(({ id }) => id).filter((id) => !caught.has(id))
    expect(survived).toEqual([])
  })
})
