import assert from 'node:assert/strict'

import { resourcesInUse } from './resources.ts'
import type { Resources } from './resources.ts'

/** How often it is asked again, a little later each time: what was closed may take a moment to be gone. */
const TRIES = 6
const PAUSE_MS = 20

/** Asserts that not more is held than before, but for `slack` of each kind. */
export async function checkResources(before: Resources, slack: number, after: string): Promise<void> {
  let now = await resourcesInUse()
  for (let attempt = 1; attempt < TRIES && isMore(now, before, slack); attempt++) {
    await new Promise((resolve) => setTimeout(resolve, attempt * PAUSE_MS))
    now = await resourcesInUse()
  }
  for (const kind of ['descriptors', 'handles', 'threads'] as const) {
    assert.ok(now[kind] <= before[kind] + slack, `${kind}: ${before[kind]} before, ${now[kind]} after ${after}`)
  }
}

function isMore(now: Resources, before: Resources, slack: number): boolean {
  return (['descriptors', 'handles', 'threads'] as const).some((kind) => now[kind] > before[kind] + slack)
}
