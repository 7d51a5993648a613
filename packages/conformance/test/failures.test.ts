import assert, { AssertionError } from 'node:assert'

import { cases, ConformanceFailure } from '@turnlog/conformance'
import type { Case } from '@turnlog/conformance'
import { StoreError } from '@turnlog/core/backend'
import { describe, expect, test } from 'vitest'

import { rejects } from '../src/probe/rejects.ts'
import { received, sendable } from '../src/child/sent-error.ts'
import { target } from './fixtures/memory-target.js'

function messageOf(cause: unknown): string {
  return new ConformanceFailure(cases[0] as Case, target, cause, { seed: 1, thorough: false }).message
}

function failureOf(expected: unknown, actual: unknown): string {
  try {
    assert.deepStrictEqual(actual, expected)
  } catch (error) {
    return messageOf(error)
  }
  return 'equal'
}

describe('a failed comparison', () => {
  test('names the first thing that differs', () => {
    const events = Array.from({ length: 50 }, (_, index) => ({ seq: index + 1, message: { role: 'user' } }))
    const changed = structuredClone(events)
    changed[30] = { seq: 31, message: { role: 'system' } }
    expect(failureOf(events, changed)).toContain("differs:  [30].message.role: 'user' was expected, 'system' came")
    expect(failureOf({ first: 1, last: 2 }, { first: 1 })).toContain('differs:  .last: 2 was expected, nothing came')
    expect(failureOf([1], [1, 2])).toContain('differs:  [1]: nothing was expected, 2 came')
  })

  test('shows where two long texts part', () => {
    const text = 'x'.repeat(5000)
    expect(failureOf(`${text}a${text}`, `${text}b${text}`)).toMatch(
      /differs: {2}character 5000 of 10001 and 10001: 'x+ax+'/,
    )
  })

  test('never shows two equal texts without a word', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 })
    expect(failureOf({ deep: [{ a: 1 }] }, { deep: [bare] })).toContain(
      'differs:  .deep[0]: an object of Object was expected, an object of no class came',
    )
    expect(failureOf([0], [-0])).toContain('differs:  [0]: 0 was expected, -0 came')
    const alike = new AssertionError({ message: 'alike', expected: 'same', actual: 'same' })
    expect(messageOf(alike)).toContain('differs:  in what a text does not show')
  })
})

test('an exception where a rejection was due is called one', async () => {
  const throwing = (): Promise<void> => {
    throw new StoreError('CONFLICT', 'too soon')
  }
  const failure: unknown = await rejects('CONFLICT', 'an append', throwing).catch((error: unknown) => error)
  expect(messageOf(failure)).toMatch(/expected: rejected with CONFLICT\n +actual: +thrown, not rejected: StoreError/)
})

test('an error of a child process keeps its code, details, cause and stack', () => {
  const cause = new TypeError('below')
  const error = new StoreError('CONFLICT', 'above', { expected: 1, actual: 0, file: 'f', cause })
  const copy = received(JSON.parse(JSON.stringify(sendable(error))) as ReturnType<typeof sendable>)
  expect(copy).toMatchObject({ code: 'CONFLICT', message: 'above', expected: 1, actual: 0, file: 'f' })
  expect((copy.cause as Error).message).toBe('below')
  expect(copy.stack).toContain('failures.test.ts')
  expect((copy.cause as Error).stack).toContain('failures.test.ts')
})
