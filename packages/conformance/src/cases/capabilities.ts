import assert from 'node:assert/strict'

import type { Case } from '../context/case.ts'
import { ExpectedSession } from '../probe/expected-session.ts'

export const capabilityCases: readonly Case[] = [
  {
    id: 'capabilities.contract',
    level: 'must',
    promise: 'A backend says which version of the contract it implements, and has a name.',
    prevents: 'Core opens a backend that was written for another contract.',
    starts: 'closed',
    async run({ backend }) {
      assert.equal(backend.contract, 1)
      assert.ok(typeof backend.name === 'string' && backend.name !== '', `the name is ${JSON.stringify(backend.name)}`)
    },
  },
  {
    id: 'capabilities.complete',
    level: 'must',
    promise: 'Every capability is stated before the backend is opened, with a value of the contract.',
    prevents: 'Core relies on a promise that the backend never made.',
    starts: 'closed',
    async run({ capabilities }) {
      assert.equal(typeof capabilities.persistent, 'boolean')
      assert.ok(['none', 'os', 'sync'].includes(capabilities.durability), `durability is ${capabilities.durability}`)
      assert.ok(['exclusive', 'shared'].includes(capabilities.access), `access is ${capabilities.access}`)
      assert.equal(typeof capabilities.concurrentReaders, 'boolean')
      assert.equal(typeof capabilities.detectsDamage, 'boolean')
    },
  },
  {
    id: 'capabilities.fixed',
    level: 'must',
    promise:
      'Capabilities never change: they are frozen and the same before, during and after open, read-only as well.',
    prevents: 'Core goes on relying on a promise that has been withdrawn.',
    starts: 'closed',
    async run({ backend, random }) {
      const before = structuredClone(backend.capabilities)
      assert.ok(Object.isFrozen(backend.capabilities), 'capabilities are frozen')
      await backend.open()
      await new ExpectedSession(random).grow(backend, 1)
      assert.deepEqual(backend.capabilities, before)
      await backend.close()
      assert.deepEqual(backend.capabilities, before)
      await backend.open({ readOnly: true })
      assert.deepEqual(backend.capabilities, before, 'while it is open read-only')
    },
  },
  {
    id: 'capabilities.consistent',
    level: 'must',
    promise: 'What survives a crash also survives a close: durability is none unless the backend is persistent.',
    prevents: 'A user trusts in surviving a crash and loses everything at the next restart.',
    starts: 'closed',
    async run({ capabilities }) {
      if (!capabilities.persistent) assert.equal(capabilities.durability, 'none')
    },
  },
]
