import type { SessionStore } from '@turnlog/core'
import * as fc from 'fast-check'
import { expect } from 'vitest'

export interface Turn {
  readonly role: string
  readonly content: string
}

export const KEY = 'property'

const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string({ maxLength: 12 }) })

/** One operation, with numbers that are taken modulo what there is. */
export const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate' as const), keep: fc.nat(8) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('summarize' as const),
      index: fc.nat(),
      text: fc.string({ maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('summary' as const), text: fc.string({ maxLength: 8 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      order: fc.array(fc.nat(), { maxLength: 12 }),
      extra: fc.array(message, { maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      index: fc.nat(),
      messages: fc.array(message, { maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('metadata' as const), value: fc.string({ maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('note' as const), value: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
)

export type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never

export async function run(store: SessionStore<Turn>, step: Operation, id: string): Promise<void> {
  const { messages, positions, version } = await store.load(KEY)
  const write = step.kind === 'add' || step.kind === 'truncate' ? { operationId: id } : {}
  switch (step.kind) {
    case 'add':
      await store.addMessages(KEY, step.messages, write)
      break
    case 'truncate':
      await store.truncateHistory(KEY, step.keep, write)
      break
    case 'summarize':
      if (positions.length === 0) break
      await store.summarize(KEY, {
        summary: step.text,
        through: positions[step.index % positions.length] as number,
        version,
      })
      break
    case 'summary':
      await store.setSummary(KEY, step.text)
      break
    case 'set': {
      const picked = step.order
        .filter(() => messages.length > 0)
        .map((index) => messages[index % messages.length] as Turn)
      const wanted = [...picked.slice(0, 6), ...step.extra, ...picked.slice(6)]
      await store.setHistory(KEY, wanted)
      expect(await store.getHistory(KEY)).toEqual(wanted)
      break
    }
    case 'replace':
      if (positions.length === 0) break
      await store.replaceFrom(KEY, positions[step.index % positions.length] as number, step.messages)
      break
    case 'restore': {
      const at = await someVersion(store, step.at)
      if (at === undefined) break
      const wanted = await store.getHistory(KEY, { at })
      await store.restore(KEY, { at })
      expect(await store.getHistory(KEY)).toEqual(wanted)
      break
    }
    case 'metadata':
      await store.setMetadata(KEY, { value: step.value })
      break
    case 'note':
      await store.note(KEY, 'number', step.value)
      break
    case 'compact':
      await store.compact(KEY)
      break
    case 'delete':
      await store.deleteSession(KEY)
      break
  }
}

/** A version that can be looked at: after the last compaction or deletion. */
async function someVersion(store: SessionStore<Turn>, number: number): Promise<number | undefined> {
  const { version } = await store.load(KEY)
  let least = 1
  for await (const event of store.events(KEY)) {
    if (event.type === 'Compacted' || event.type === 'SessionDeleted') least = event.seq
  }
  return version < least ? undefined : least + (number % (version - least + 1))
}
