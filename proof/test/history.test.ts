import { describe, expect, test } from 'vitest'

import { checkHistory } from '../src/campaigns/history.ts'
import type { HistoryCall } from '../src/child/history-main.ts'

const write = (began: number, ended: number, version: number, ...ids: readonly string[]): HistoryCall => ({
  key: 's',
  kind: 'write',
  began,
  ended,
  version,
  ids,
})
const read = (began: number, ended: number, ...ids: readonly string[]): HistoryCall => ({
  key: 's',
  kind: 'read',
  began,
  ended,
  version: ids.length,
  ids,
})
const LOG = { s: [[1, 'a'] as const, [2, 'b'] as const] }

describe('the check of a history', () => {
  test('accepts overlapping calls in either order', () => {
    expect(checkHistory({ calls: [write(0, 3, 2, 'b'), write(1, 2, 1, 'a'), read(1, 4, 'a')], logs: LOG })).toEqual([])
  })

  test('finds a read that is older than an answer given before it began', () => {
    const calls = [write(0, 1, 1, 'a'), write(2, 3, 2, 'b'), read(4, 5, 'a')]
    expect(checkHistory({ calls, logs: LOG })).toHaveLength(1)
  })

  test('finds writes in the wrong order', () => {
    expect(checkHistory({ calls: [write(0, 1, 2, 'b'), write(2, 3, 1, 'a')], logs: LOG })).toHaveLength(1)
  })

  test('finds a read of what was never so', () => {
    const calls = [write(0, 1, 1, 'a'), write(2, 3, 2, 'b'), read(4, 5, 'b', 'a')]
    expect(checkHistory({ calls, logs: LOG })).toHaveLength(1)
  })

  test('finds a write that is not in the log, and a log with a gap', () => {
    expect(checkHistory({ calls: [write(0, 1, 1, 'a')], logs: LOG })).toHaveLength(1)
    const calls = [write(0, 1, 1, 'a'), write(2, 3, 2, 'b')]
    expect(checkHistory({ calls, logs: { s: [[1, 'a'] as const, [3, 'b'] as const] } })).toHaveLength(1)
  })
})
