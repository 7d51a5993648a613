import assert from 'node:assert/strict'

import type { EventRecord } from '@turnlog/core/backend'

/** Asserts that what competing writers wrote is all there, once, and in each writer's own order. */
export function checkCompetition(events: readonly EventRecord[], writers: readonly string[], each: number): void {
  const upTo = (count: number, start: number): number[] => Array.from({ length: count }, (_, index) => start + index)
  assert.deepEqual(
    events.map(({ seq }) => seq),
    upTo(writers.length * each, 1),
  )
  for (const writer of writers) {
    const turns = events.filter((event) => event['writer'] === writer).map((event) => event['turn'])
    assert.deepEqual(turns, upTo(each, 0), `the turns of ${writer}`)
  }
}
