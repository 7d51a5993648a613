import type { Backend, EventRecord } from '@turnlog/core/backend'

import { ALL } from './collect.ts'

/** Reads all of a session and does something between the first batch and the next one. */
export async function stepByStep(
  reader: Backend,
  session: string,
  reverse: boolean,
  between: () => Promise<void>,
): Promise<EventRecord[]> {
  const steps = reader.read(session, ALL, { reverse })[Symbol.asyncIterator]()
  const events: EventRecord[] = []
  let step = await steps.next()
  await between()
  for (; step.done !== true; step = await steps.next()) events.push(...step.value)
  return events
}
