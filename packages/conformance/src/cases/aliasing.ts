import assert from 'node:assert/strict'

import type { Json } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { ALL, listAll, readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'

export const aliasingCases: readonly Case[] = [
  {
    id: 'aliasing.input-events',
    level: 'must',
    promise: 'Changing the events after an append changes nothing that is stored.',
    prevents: 'A program that reuses its message object changes what is stored.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const events = structuredClone(session.next(3))
      const kept = structuredClone(events)
      await backend.append(session.key, session.expected, events, null)
      vandalise(events)
      assert.deepEqual(await readAll(backend, session.key), kept)
    },
  },
  {
    id: 'aliasing.input-projection',
    level: 'must',
    promise: 'Changing the projection after an append changes nothing that is stored.',
    prevents: 'A program that goes on changing its state changes what is stored.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const projection = { deep: { list: [1, 2] } }
      await backend.append(session.key, session.expected, session.next(1), projection)
      projection.deep.list.push(3)
      assert.deepEqual((await backend.head(session.key))?.projection, { deep: { list: [1, 2] } })
    },
  },
  {
    id: 'aliasing.input-untouched',
    level: 'must',
    promise: 'An append changes nothing that was given to it, frozen or not.',
    prevents: 'An append changes or freezes objects that belong to the caller.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const events = structuredClone(session.next(2))
      const projection: Json = { list: [1] }
      const before = JSON.stringify([events, projection])
      await backend.append(session.key, session.expected, events, projection)
      assert.equal(JSON.stringify([events, projection]), before)
      assert.equal(Object.isFrozen(events), false)
      assert.equal(Object.isFrozen(events[0]), false)
      assert.equal(Object.isFrozen(projection), false)
    },
  },
  {
    id: 'aliasing.output-events',
    level: 'must',
    promise: 'Changing events that were read changes nothing that is read later.',
    prevents: 'A program that changes what it has read changes what others read.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3)
      for await (const batch of backend.read(session.key, ALL)) vandalise(batch)
      await session.check(backend)
    },
  },
  {
    id: 'aliasing.output-heads',
    level: 'must',
    promise: 'Changing a head or a list of heads changes nothing that is read later.',
    prevents: 'A program that changes a head changes what others see.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 3, { projection: { deep: { list: [1] } } })
      vandalise(await backend.head(session.key))
      vandalise(await listAll(backend))
      for await (const batch of backend.list()) vandalise(batch)
      await session.check(backend)
      assert.equal((await listAll(backend))[0]?.last, 3)
    },
  },
]

/** Overwrites whatever can be overwritten. What is frozen refuses, which is as good. */
function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const child of Object.values(value)) vandalise(child)
  for (const key of Object.keys(value)) Reflect.set(value, key, 'vandalised')
  if (Array.isArray(value) && Object.isExtensible(value)) value.push('vandalised')
}
