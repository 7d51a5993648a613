import assert from 'node:assert/strict'

import { compareKeys } from '@turnlog/core/backend'
import type { EventRecord } from '@turnlog/core/backend'
import * as fc from 'fast-check'

import { rejects } from '../probe/rejects.ts'
import type { Model } from './model.ts'
import type { StoreUnderTest } from './store-under-test.ts'

type Command = fc.AsyncCommand<Model, StoreUnderTest>

const key = fc.constantFrom('a', 'b', 'a/b', 'é', '😀')

/** Every kind of command that a sequence is made of. */
export function allCommands(): fc.Arbitrary<Command>[] {
  return [
    fc
      .tuple(key, fc.integer({ min: 1, max: 5 }), fc.option(fc.nat(8), { nil: undefined }))
      .map((args) => append(...args)),
    fc.tuple(key, fc.constantFrom(-2, -1, 1, 3)).map((args) => staleAppend(...args)),
    key.map(wrongLife),
    fc.tuple(key, fc.constantFrom(0, 0, 1, -1)).map((args) => erase(...args)),
    key.map(look),
    fc.constant(list()),
    fc.constant(reopen()),
  ]
}

function append(session: string, count: number, trim: number | undefined): Command {
  return command(`append ${count} to ${session}, trim ${trim ?? 'nothing'}`, async (model, store) => {
    const found = model.sessions.get(session)
    const last = found?.last ?? 0
    const incarnation = found?.incarnation ?? `incarnation ${++model.counter}`
    const events = makeEvents(model, last, count)
    const projection = ++model.counter
    const trimBefore = trim === undefined ? undefined : Math.min((found?.first ?? 1) + trim, last + count + 1)
    await store.append(
      session,
      { last, incarnation },
      events,
      projection,
      trimBefore === undefined ? {} : { trimBefore },
    )
    const first = Math.max(found?.first ?? 1, trimBefore ?? 1)
    const kept = [...(found?.events ?? []), ...events].filter(({ seq }) => seq >= first)
    model.sessions.set(session, { incarnation, first, last: last + count, events: kept, projection })
  })
}

function staleAppend(session: string, distance: number): Command {
  return command(`append to ${session} ${distance} off the version`, async (model, store) => {
    const found = model.sessions.get(session)
    const actual = found?.last ?? 0
    const last = actual + distance
    if (last < 0) return
    const incarnation = found?.incarnation ?? 'none'
    const error = await rejects('CONFLICT', `append at ${last} of a session at ${actual}`, () =>
      store.append(session, { last, incarnation }, makeEvents(model, last, 1), null),
    )
    assert.equal(error.actual, actual)
  })
}

function wrongLife(session: string): Command {
  return command(`append to ${session} in another incarnation`, async (model, store) => {
    const found = model.sessions.get(session)
    if (found === undefined) return
    await rejects('CONFLICT', 'append in another incarnation', () =>
      store.append(session, { last: found.last, incarnation: 'another' }, makeEvents(model, found.last, 1), null),
    )
  })
}

function erase(session: string, distance: number): Command {
  return command(`erase ${session}, ${distance} off the version`, async (model, store) => {
    const actual = model.sessions.get(session)?.last ?? 0
    const expectedLast = actual + distance
    if (expectedLast < 0) return
    if (distance === 0) {
      await store.erase(session, expectedLast)
      model.sessions.delete(session)
    } else {
      await rejects('CONFLICT', `erase at ${expectedLast} of a session at ${actual}`, () =>
        store.erase(session, expectedLast),
      )
    }
  })
}

function look(session: string): Command {
  return command(`read ${session}`, (model, store) => compare(model, store, session))
}

function list(): Command {
  return command('list', async (model, store) => {
    assert.deepEqual(await store.listKeys(), [...model.sessions.keys()].sort(compareKeys))
  })
}

function reopen(): Command {
  return command('reopen', async (model, store) => {
    await store.reopen()
    if (!store.persistent) model.sessions.clear()
    assert.deepEqual(await store.listKeys(), [...model.sessions.keys()].sort(compareKeys))
    for (const session of model.sessions.keys()) await compare(model, store, session)
  })
}

async function compare(model: Model, store: StoreUnderTest, session: string): Promise<void> {
  const found = model.sessions.get(session)
  const { bytes: _bytes, ...head } = (await store.head(session)) ?? { bytes: 0 }
  const { events = [], ...expected } = found ?? {}
  assert.deepEqual(head, expected)
  assert.deepEqual(await store.readAll(session), events)
}

function makeEvents(model: Model, last: number, count: number): EventRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    seq: last + 1 + index,
    id: `${++model.counter}`,
    type: 'T',
    v: 1,
    at: 1,
  }))
}

function command(name: string, run: Command['run']): Command {
  return { check: () => true, run, toString: () => name }
}
