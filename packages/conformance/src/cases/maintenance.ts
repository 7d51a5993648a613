import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'

import { isStoreError } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { damage, fill, maintenanceOf } from '../probe/maintained.ts'

export const maintenanceCases: readonly Case[] = [
  {
    id: 'maintenance.verify.healthy',
    level: 'must',
    promise: 'verify of a healthy store counts what is there, finds no problem and changes nothing.',
    prevents: 'An inspection raises a false alarm, or says that it looked at what it skipped.',
    requires: ['maintenance'],
    async run({ backend, random }) {
      const sessions = await fill(backend, random)
      const report = await maintenanceOf(backend).verify()
      const events = sessions.reduce((sum, session) => sum + session.events.length, 0)
      assert.deepEqual(report.problems, [])
      assert.deepEqual({ sessions: report.sessions, events: report.events }, { sessions: sessions.length, events })
      for (const session of sessions) await session.check(backend)
    },
  },
  {
    id: 'maintenance.verify.one-session',
    level: 'must',
    promise: 'verify of one session looks at that one only.',
    prevents: 'Checking one conversation takes as long as checking all of them.',
    requires: ['maintenance'],
    async run({ backend, random }) {
      const [session] = await fill(backend, random)
      const report = await maintenanceOf(backend).verify({ session: session?.key ?? '' })
      assert.deepEqual(
        { sessions: report.sessions, events: report.events },
        { sessions: 1, events: session?.events.length },
      )
    },
  },
  {
    id: 'maintenance.sizes',
    level: 'must',
    promise: 'sizes tells the bytes and the files of the store: those of its data at least, and they grow with it.',
    prevents: 'An administrator plans with wrong numbers.',
    requires: ['maintenance', 'persistent'],
    async run({ backend, harness, random }) {
      // Some write into room that they had made before, so only a store that was closed shows what is in it.
      const measure = async (): Promise<number> => {
        await backend.close()
        const data = ((await harness.files?.()) ?? []).map((path) => stat(path))
        const least = (await Promise.all(data)).reduce((sum, { size }) => sum + size, 0)
        await backend.open({ readOnly: true })
        const { bytes, files } = await maintenanceOf(backend).sizes()
        assert.ok(Number.isSafeInteger(bytes) && bytes >= Math.max(1, least), `bytes is ${bytes}, of data ${least}`)
        assert.ok(Number.isSafeInteger(files) && files >= Math.max(1, data.length), `files is ${files}`)
        await backend.close()
        await backend.open()
        return bytes
      }
      await fill(backend, random)
      const before = await measure()
      const text = Array.from({ length: 3000 }, () => random.word(100)).join('')
      await new ExpectedSession(random).grow(backend, 1, { fields: { text } })
      const after = await measure()
      assert.ok(after >= before + 100_000, `${before} bytes, then ${after} with 300,000 characters more`)
    },
  },
  {
    id: 'maintenance.reclaim',
    level: 'must',
    promise: 'reclaim gives the space of trimmed events back and changes nothing that can be read.',
    prevents: 'A disk fills up with messages that were removed long ago, or loses others.',
    requires: ['maintenance', 'persistent'],
    async run({ backend, harness, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2000, { fields: { text: random.word(400) } })
      await session.grow(backend, 1, { trimBefore: 2000 })
      const before = await maintenanceOf(backend).sizes()
      const { bytesFreed } = await maintenanceOf(backend).reclaim()
      assert.ok(Number.isSafeInteger(bytesFreed) && bytesFreed >= 0, `bytesFreed is ${bytesFreed}`)
      const after = await maintenanceOf(backend).sizes()
      assert.ok(
        after.bytes < 500_000,
        `2,000 events of 400 characters are trimmed; ${before.bytes} bytes before, ${after.bytes} after`,
      )
      await session.check(backend)
      await session.grow(backend, 2)
      await session.check(await harness.reopen())
    },
  },
  {
    id: 'maintenance.repair.wants-closed',
    level: 'must',
    promise: 'repair refuses an open backend.',
    prevents: 'A repair rewrites files under a program that has them open.',
    requires: ['maintenance'],
    async run({ backend, random }) {
      const [session] = await fill(backend, random)
      await assert.rejects(maintenanceOf(backend).repair(), (error) => isStoreError(error))
      await session?.check(backend)
    },
  },
  {
    id: 'maintenance.repair.healthy',
    level: 'must',
    promise: 'repair of a healthy store, applied or not, has nothing to do and changes nothing.',
    prevents: 'A repair changes a store that has nothing wrong with it.',
    requires: ['maintenance', 'persistent'],
    async run({ backend, random }) {
      const sessions = await fill(backend, random)
      await backend.close()
      const planned = await maintenanceOf(backend).repair()
      assert.deepEqual({ applied: planned.applied, actions: planned.actions }, { applied: false, actions: [] })
      assert.deepEqual((await maintenanceOf(backend).repair({ apply: true })).actions, [])
      await backend.open()
      for (const session of sessions) await session.check(backend)
    },
  },
  {
    id: 'maintenance.repair.aborted',
    level: 'must',
    promise: 'repair with an aborted signal rejects with its reason and changes nothing.',
    prevents: 'A repair that was stopped goes on and changes the store.',
    requires: ['maintenance', 'persistent', 'detectsDamage', 'files'],
    async run({ backend, harness, random }) {
      await fill(backend, random)
      await backend.close()
      await damage(random.pick((await harness.files?.()) ?? []))
      const contents = async (): Promise<readonly Buffer[]> =>
        Promise.all(((await harness.files?.()) ?? []).map((path) => readFile(path)))
      const before = await contents()
      const reason = new Error('stopped')
      const request = { apply: true, signal: AbortSignal.abort(reason) }
      await assert.rejects(maintenanceOf(backend).repair(request), (error) => error === reason)
      assert.deepEqual(await contents(), before)
    },
  },
  {
    id: 'maintenance.repair.damaged',
    level: 'must',
    promise:
      'repair makes a damaged store readable again, says what it dropped, keeps the damaged original, and leaves no event different.',
    prevents: 'A repair leaves a store unreadable, or invents messages.',
    requires: ['maintenance', 'persistent', 'detectsDamage', 'files'],
    async run({ backend, harness, random }) {
      const sessions = await fill(backend, random)
      await backend.close()
      await damage(random.pick((await harness.files?.()) ?? []))
      await maintenanceOf(backend).repair()
      const { applied, actions, backup } = await maintenanceOf(backend).repair({ apply: true })
      await backend.open()
      let lost = 0
      for (const session of sessions) {
        for (const event of await readAll(backend, session.key)) {
          assert.deepEqual(
            event,
            session.events.find(({ seq }) => seq === event.seq),
            `event ${event.seq} of ${session.key}`,
          )
        }
        lost += session.events.length - (await readAll(backend, session.key)).length
      }
      if (lost > 0) {
        assert.ok(applied && actions.length > 0, `${lost} events were dropped and nothing was said`)
        assert.ok(backup !== undefined, 'the damaged original is kept')
      }
      const fresh = new ExpectedSession(random)
      await fresh.grow(backend, 2)
      await fresh.check(backend)
      assert.deepEqual((await maintenanceOf(backend).verify()).problems, [])
    },
  },
]
