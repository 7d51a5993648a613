import assert from 'node:assert/strict'

import type { Head } from '@turnlog/core/backend'

import type { Deeds } from './append-and-erase.ts'

/**
 * Asserts that what writers were told can all be true: the acknowledged appends of each incarnation are 1, 2, 3 and so on,
 * and each incarnation but the present one was erased once, at its end. An erase that took an append with it, which nobody
 * had read, says an earlier end than the appends do.
 */
export function checkErasures(deeds: readonly Deeds[], head: Head | undefined): void {
  const incarnations = new Map<string, number[]>()
  for (const { incarnation, seq } of deeds.flatMap(({ appends }) => appends)) {
    incarnations.set(incarnation, [...(incarnations.get(incarnation) ?? []), seq])
  }
  const ends: number[] = []
  for (const [incarnation, seqs] of incarnations) {
    seqs.sort((a, b) => a - b)
    const upTo = Array.from(seqs, (_, index) => index + 1)
    assert.deepEqual(seqs, upTo, `the acknowledged appends of the incarnation ${incarnation}`)
    if (incarnation === head?.incarnation)
      assert.equal(head.last, seqs.length, 'the last seq of the present incarnation')
    else ends.push(seqs.length)
  }
  const erased = deeds.flatMap(({ erases }) => erases)
  const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b)
  assert.deepEqual(
    sorted(erased),
    sorted(ends),
    'the versions that were erased, beside the versions at which incarnations ended',
  )
}
