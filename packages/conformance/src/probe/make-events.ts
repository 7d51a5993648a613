import type { EventRecord, Json } from '@turnlog/core/backend'

import type { Random } from '../context/random.ts'

/** Events as core makes them: an envelope, fields of the type, all of it frozen. */
export function makeEvents(
  random: Random,
  from: number,
  count: number,
  fields: Readonly<Record<string, Json>> = {},
): EventRecord[] {
  return Array.from({ length: count }, (_, index) => makeEvent(random, from + index, fields))
}

export function makeEvent(random: Random, seq: number, fields: Readonly<Record<string, Json>> = {}): EventRecord {
  return deepFreeze({
    seq,
    id: random.word(16),
    type: 'MessageAdded',
    v: 1,
    at: 1_700_000_000_000 + seq,
    message: { role: 'user', content: `${seq} ${random.word(12)}` },
    ...fields,
  })
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const child of Object.values(value)) deepFreeze(child)
  }
  return value
}
