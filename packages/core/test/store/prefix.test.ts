import type { SessionStore } from '@turnlog/core'
import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { runSeed } from '../seeded.ts'
import type { Turn } from './random-operations.ts'
import { KEY, operation, run } from './random-operations.ts'

/** The store, with what it said of the prefix at the last write that changed the view. */
function recorded(store: SessionStore<Turn>, results: unknown[]): SessionStore<Turn> {
  return new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        const given = Reflect.apply(method, target, args) as Promise<unknown>
        if (/^(?:add|set|truncate|summarize|replace|restore|batch)/.test(String(name))) {
          return given.then((result) => {
            results.push(result)
            return result
          })
        }
        return given
      }
    },
  })
}

test('prefix says how much of the rendered history before a write begins the one after it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (steps) => {
      const store = await openStore<Turn>({ backend: memoryBackend(), limits: { maxMessages: 12 } })
      for (const [index, step] of steps.entries()) {
        const results: { prefix?: { kept: { messages: number }; lost: { messages: number } } }[] = []
        const before = await store.getHistory(KEY)
        if (step.kind === 'replace' && before.length > 0 && step.messages.length > 0) {
          const { positions } = await store.load(KEY)
          const at = positions[step.index % positions.length] as number
          results.push(await store.replaceMessage(KEY, at, step.messages[0] as Turn))
        } else {
          await run(recorded(store, results), step, `op ${index}`).catch((error: unknown) => {
            // Limits cut what `set` expects to find again.
            if (step.kind !== 'set') throw error
          })
        }
        const prefix = results.at(-1)?.prefix
        if (prefix === undefined) continue
        const after = await store.getHistory(KEY)
        let same = 0
        while (same < before.length && JSON.stringify(before[same]) === JSON.stringify(after[same])) same++
        expect(prefix.kept.messages).toBe(same)
        expect(prefix.lost.messages).toBe(before.length - same)
      }
      await store.close()
    }),
    { seed: runSeed('prefix'), numRuns: 60 },
  )
})
