import assert from 'node:assert/strict'
import type { Backend, EventRecord, Json } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'

/** A small generator of numbers that repeats for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
}

/** A session as it should be. */
export interface State {
  readonly incarnation: string
  readonly first: number
  readonly events: readonly EventRecord[]
  readonly projection: Json
}

/** What may be found of a session: the last acknowledged state, or one that was on its way. */
export interface Possible {
  acknowledged: State | undefined
  onTheWay: (State | undefined)[]
}

export type Model = Map<string, Possible>

export function copyModel(model: Model): Model {
  return new Map(
    [...model].map(([key, { acknowledged, onTheWay }]) => [key, { acknowledged, onTheWay: [...onTheWay] }]),
  )
}

const SESSIONS = ['alpha', 'Beta:2', 'c']

/** Runs random operations, one session at a time or several at once, and keeps the model up to date. */
export async function runHistory(backend: Backend, seed: number, steps: number, model: Model): Promise<void> {
  const random = randomFrom(seed)
  let names = 0
  for (let step = 0; step < steps; step++) {
    const session = SESSIONS[random(SESSIONS.length)] ?? 'alpha'
    const possible = model.get(session) ?? { acknowledged: undefined, onTheWay: [] }
    model.set(session, possible)
    if (possible.onTheWay.length > 0) await settle(possible, backend, session)
    if (possible.onTheWay.length > 0) continue
    const before = possible.acknowledged
    if (before !== undefined && random(12) === 0) {
      possible.onTheWay = [undefined]
      await attempt(possible, [backend.erase(session, before.first + before.events.length - 1)], backend, session)
      continue
    }
    // Of three appends at once the first goes out alone and the others together.
    const count = random(4) === 0 ? 3 : 1
    const running: Promise<void>[] = []
    let state = before
    possible.onTheWay = []
    for (let index = 0; index < count; index++) {
      const incarnation = state?.incarnation ?? `life-${seed}-${names++}`
      const last = state === undefined ? 0 : state.first + state.events.length - 1
      const events = Array.from({ length: 1 + random(3) }, (_, offset) => makeEvent(last + 1 + offset, random))
      const projection = { step, text: 'p'.repeat(random(300)) }
      const end = last + events.length
      const first = state?.first ?? 1
      const trimBefore = random(4) === 0 ? 1 + random(end + 1) : undefined
      const newFirst = Math.max(first, trimBefore ?? first)
      const all = [...(state?.events ?? []), ...events].filter((event) => event.seq >= newFirst)
      state = { incarnation, first: newFirst, events: all, projection }
      // First the model: the write may begin before the call returns.
      possible.onTheWay.push(state)
      running.push(
        backend.append(
          session,
          { last, incarnation },
          events,
          projection,
          trimBefore === undefined ? {} : { trimBefore },
        ),
      )
    }
    await attempt(possible, running, backend, session)
  }
}

async function attempt(
  possible: Possible,
  running: readonly Promise<void>[],
  backend: Backend,
  session: string,
): Promise<void> {
  const outcomes = await Promise.allSettled(running)
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') {
      possible.acknowledged = possible.onTheWay[index]
    } else {
      assert(isStoreError(outcome.reason), `not a typed error: ${String(outcome.reason)}`)
      assert(['IO', 'CONFLICT'].includes(outcome.reason.code), `an unexpected error: ${outcome.reason.message}`)
    }
  }
  if (outcomes.some(({ status }) => status === 'rejected')) await settle(possible, backend, session)
  else possible.onTheWay = []
}

/** The outcome of a failed operation is unknown until the head has been asked; from then on it must not change. */
async function settle(possible: Possible, backend: Backend, session: string): Promise<void> {
  try {
    const head = await backend.head(session)
    const last = head?.last ?? 0
    const candidates = [possible.acknowledged, ...possible.onTheWay]
    const found = candidates.find((state) => lastOf(state) === last && state?.incarnation === head?.incarnation)
    assert.equal(lastOf(found), last, 'the head is none of those that are possible')
    possible.acknowledged = found
    possible.onTheWay = []
  } catch (error) {
    assert(isStoreError(error, 'IO'), String(error))
  }
}

function lastOf(state: State | undefined): number {
  return state === undefined ? 0 : state.first + state.events.length - 1
}

function makeEvent(seq: number, random: (below: number) => number): EventRecord {
  const text = 'äx\u2028"~'.repeat(random(10) === 0 ? 300 : random(40))
  return {
    seq,
    id: `event-${seq}-${random(1e6)}`,
    type: 'MessageAdded',
    v: 1,
    at: seq,
    message: { role: 'user', content: text },
  }
}

/** Fails unless every session is in a state that is possible; gives what was found. */
export async function checkStates(backend: Backend, model: Model): Promise<Map<string, State | undefined>> {
  const found = new Map<string, State | undefined>()
  for (const [session, { acknowledged, onTheWay }] of model) {
    const state = await readState(backend, session)
    const allowed = [acknowledged, ...onTheWay]
    const isAllowed = allowed.some((candidate) => isEqual(candidate, state))
    if (!isAllowed)
      assert.deepEqual(state, acknowledged, `session ${session} is in none of ${allowed.length} possible states`)
    found.set(session, state)
  }
  return found
}

export async function readState(backend: Backend, session: string): Promise<State | undefined> {
  const head = await backend.head(session)
  if (head === undefined) return undefined
  const events: EventRecord[] = []
  for await (const batch of backend.read(session, [{ from: 1, to: Number.MAX_SAFE_INTEGER }])) events.push(...batch)
  assert.equal(events.length, head.last - head.first + 1, 'events are missing')
  return { incarnation: head.incarnation, first: head.first, events, projection: head.projection }
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Appends one event to every session and reads it back. */
export async function checkNextAppends(backend: Backend, found: ReadonlyMap<string, State | undefined>): Promise<void> {
  for (const [session, state] of found) {
    const last = lastOf(state)
    const incarnation = state?.incarnation ?? 'a new life'
    const event = { seq: last + 1, id: 'next', type: 'Noted', v: 1, at: 0 }
    await backend.append(session, { last, incarnation }, [event], { next: true })
    const now = await readState(backend, session)
    assert.deepEqual(now?.events.at(-1), event)
    assert.deepEqual(now?.events.slice(0, -1), state?.events ?? [])
  }
}
