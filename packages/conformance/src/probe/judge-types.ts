import { AssertionError } from 'node:assert'

import type { Examination, FoundHead } from './damage.ts'

/** Asserts that what comes out of a damaged store is of the types of the contract, whatever its values are. */
export function judgeTypes({ outcomes }: Examination, what: string): void {
  for (const [key, outcome] of outcomes) {
    const wrong = [
      ...headFaults(outcome.listed?.head),
      ...(outcome.kind === 'state' ? [...headFaults(outcome.head), ...eventFaults(outcome.events)] : []),
    ]
    if (wrong.length === 0) continue
    throw new AssertionError({
      message: `${what}, session ${key}`,
      expected: 'heads and events of the right types, or a StoreError',
      actual: wrong.slice(0, 3).join('; '),
    })
  }
}

function headFaults(head: FoundHead | undefined): string[] {
  if (head === undefined) return []
  const { first, last, incarnation, projection } = head as unknown as Readonly<Record<string, unknown>>
  return faults('head', [
    ['first', first, isSeq(first)],
    ['last', last, last === 0 || isSeq(last)],
    ['incarnation', incarnation, typeof incarnation === 'string'],
    ['projection', projection, projection !== undefined],
  ])
}

function eventFaults(events: readonly unknown[]): string[] {
  let before = 0
  return events.flatMap((event) => {
    if (typeof event !== 'object' || event === null || Array.isArray(event)) return [`an event is ${typeof event}`]
    const { seq, id, type, v, at } = event as Readonly<Record<string, unknown>>
    const found = faults('event', [
      ['seq', seq, isSeq(seq) && seq > before],
      ['id', id, typeof id === 'string'],
      ['type', type, typeof type === 'string'],
      ['v', v, typeof v === 'number'],
      ['at', at, typeof at === 'number'],
    ])
    if (isSeq(seq)) before = seq
    return found
  })
}

function faults(of: string, fields: readonly (readonly [string, unknown, boolean])[]): string[] {
  return fields.flatMap(([name, value, isRight]) =>
    isRight ? [] : [`${name} of ${of} is ${typeof value} ${String(value)}`],
  )
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}
