import { openStore } from '@turnlog/core'
import { PROJECTION_FIELDS_V1 } from '@turnlog/core/backend'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import { projectionOf } from '../../src/view/projection.ts'
import { readProjection, takeProjection } from '../../src/view/read-projection.ts'
import type { SessionState } from '../../src/view/session-state.ts'
import { copyState, emptyState } from '../../src/view/session-state.ts'
import { STATE_FIELD_LIST } from '../../src/view/state-fields.ts'

/** A state in which no field has the value of an empty one. */
function fullState(): SessionState<unknown> {
  const state = emptyState()
  const fields = state as unknown as Record<string, unknown>
  for (const [index, [name]] of STATE_FIELD_LIST.entries()) {
    const value = fields[name]
    if (typeof value === 'number') fields[name] = 1000 + index
    else if (typeof value === 'string') fields[name] = `text ${index}`
    else if (typeof value === 'boolean') fields[name] = !value
  }
  state.viewRuns = [[1, 4]]
  state.metadata = Object.freeze({ title: 'a' })
  state.checkpoint = { seq: 7, start: 3, at: 11 }
  state.ops = [['id', 'hash', 9]]
  state.usage = { m: { calls: 1, input: 2, output: 3 } }
  state.messages = [{ role: 'user' }]
  return state
}

const EMPTY = emptyState()

test('the table has the fields of a state, in their order', () => {
  expect(STATE_FIELD_LIST.map(([name]) => name)).toEqual(Object.keys(EMPTY))
})

test('a copy has every field, and nothing that is to be brought back', () => {
  const state = { ...fullState(), stored: [{ position: 1, previous: -1, at: 1, bytes: 1, message: {} }] }
  expect(copyState(state)).toEqual({ ...state, stored: [] })
})

test('a projection carries what the table says, in the order that backends may rely on', () => {
  const names = STATE_FIELD_LIST.flatMap(([, { projected }]) => projected ?? [])
  const keys = Object.keys(projectionOf(fullState()))
  expect(keys.toSorted()).toEqual(['p', ...names].toSorted())
  // Fields of later releases come behind those that a backend may store without their names.
  expect(keys).toEqual([...PROJECTION_FIELDS_V1, 'usage'])
  const optional = new Set<string>(['runs', 'checkpoint', 'deleted'])
  expect(Object.keys(projectionOf(EMPTY))).toEqual(PROJECTION_FIELDS_V1.filter((name) => !optional.has(name)))
})

test.each([true, false])('a state takes from a projection what the table says (with the view: %s)', (withView) => {
  const full = fullState()
  const projection = readProjection(JSON.parse(JSON.stringify(projectionOf(full))))
  const state = emptyState()
  takeProjection(state, { first: 1, last: full.last, incarnation: '', bytes: 0, projection: null }, projection!, {
    withView,
  })
  for (const [name, { projected, ofView = false }] of STATE_FIELD_LIST) {
    const isTaken = (projected !== undefined && (withView || !ofView)) || name === 'last'
    expect([name, state[name]]).toEqual([name, (isTaken ? full : EMPTY)[name]])
  }
  takeProjection(state, { first: 1, last: 0, incarnation: '', bytes: 0, projection: null }, projectionOf(EMPTY), {
    withView: true,
  })
  expect(state).toEqual(EMPTY)
})

test('a projection in which a number is missing is not understood', () => {
  const whole = { ...projectionOf(EMPTY) }
  for (const [name, value] of Object.entries(whole)) {
    const { [name as 'p']: _, ...rest } = whole
    if (typeof value === 'number') expect(readProjection(rest as never)).toBeUndefined()
  }
})

test('what the table calls restated stands in Compacted', async () => {
  await using store = await openStore({ backend: memoryBackend() })
  for (let i = 0; i < 9; i++) await store.addMessage('a', 'user', 'x'.repeat(300))
  await store.setMetadata('a', { title: 'a' })
  await store.setSummary('a', 'early')
  await store.note('a', 'usage', { input: 1, output: 1 })
  await store.truncateHistory('a', 2, { operationId: 'cut' })
  await store.compact('a')
  const events = []
  for await (const event of store.events('a')) events.push(event)
  const restated = STATE_FIELD_LIST.flatMap(([name, field]) => (field.restated === true ? [name] : []))
  expect(Object.keys(events.at(-1)!)).toEqual(expect.arrayContaining(restated))
  expect(events.at(-1)).toMatchObject({ type: 'Compacted', summary: 'early', metadata: { title: 'a' } })
})
