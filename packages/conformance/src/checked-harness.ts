import { AssertionError } from 'node:assert'

import { isStoreError } from '@turnlog/core/backend'

import type { Harness } from './context/target.ts'

/** The harness of a target, which is to blame itself when what it reopens is not open. */
export function checkedHarness(harness: Harness): Harness {
  const second = harness.second?.bind(harness)
  const files = harness.files?.bind(harness)
  return {
    backend: harness.backend,
    async reopen() {
      const backend = await harness.reopen()
      await backend.head('is it open?').catch((error: unknown) => {
        if (!isStoreError(error, 'CLOSED')) return // what is damaged is for the case to judge
        throw new AssertionError({
          message: 'the target, not the backend',
          expected: 'reopen() gives a backend that is open',
          actual: 'reopen() gave one that says CLOSED',
        })
      })
      return backend
    },
    ...(second === undefined ? {} : { second }),
    ...(files === undefined ? {} : { files }),
    destroy: () => harness.destroy(),
  }
}
