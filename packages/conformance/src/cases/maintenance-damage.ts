import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { isStoreError } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { contents } from '../probe/contents.ts'
import { readAll } from '../probe/collect.ts'
import { buildImage, examineDamaged } from '../probe/damage.ts'
import { flip, flips } from '../probe/damage-places.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { filesWith } from '../probe/files-with.ts'
import { leaksOf } from '../probe/leaks.ts'
import { DAMAGE, damage, fill, maintenanceOf } from '../probe/maintained.ts'

const REQUIRES = ['maintenance', 'persistent', 'detectsDamage', 'files'] as const
const FLIPS = 20

/** What maintenance finds in a damaged store, and what it leaves alone. */
export const maintenanceDamageCases: readonly Case[] = [
  {
    id: 'maintenance.verify.damaged',
    level: 'must',
    promise: 'Where a session cannot be read for damage, verify names a problem, without anything of a message.',
    prevents: 'A damaged store passes its inspection, or the report shows private messages.',
    requires: REQUIRES,
    timeoutMs: 120_000,
    async run(context) {
      const image = await buildImage(context)
      const leaks = leaksOf(image)
      for (const { file, offset, bit } of [...flips(context, image)].slice(0, FLIPS)) {
        const what = `${file.path}, bit ${bit} of byte ${offset} flipped`
        const change = (path: (path: string) => string): Promise<void> => flip(path(file.path), offset, bit)
        await examineDamaged(context, image, change, async (backend) => {
          const unreadable = await unreadableOf(
            backend,
            image.sessions.map(({ key }) => key),
          )
          if (unreadable.length === 0) return
          const { problems } = await maintenanceOf(backend).verify()
          assert.ok(
            problems.length > 0,
            `${what}: ${unreadable.join(', ')} cannot be read, and verify finds no problem`,
          )
          const said = JSON.stringify(problems)
          assert.deepEqual(leaks(said), [], `${what}: verify shows messages: ${said}`)
        })
      }
    },
  },
  {
    id: 'maintenance.verify.changes-nothing',
    level: 'must',
    promise: 'verify leaves every file as it was, byte for byte.',
    prevents: 'An inspection destroys what a repair could have saved.',
    requires: ['maintenance', 'persistent', 'files'],
    async run({ backend, random, directory }) {
      await fill(backend, random)
      await backend.close()
      await backend.open({ readOnly: true })
      const before = await contents(directory)
      await maintenanceOf(backend).verify()
      assert.deepEqual(await contents(directory), before)
    },
  },
  {
    id: 'maintenance.verify.aborted',
    level: 'must',
    promise: 'verify with an aborted signal rejects with its reason.',
    prevents: 'An inspection cannot be stopped.',
    requires: ['maintenance'],
    async run({ backend, random }) {
      await fill(backend, random)
      const reason = new Error('stopped')
      await assert.rejects(
        maintenanceOf(backend).verify({ signal: AbortSignal.abort(reason) }),
        (error) => error === reason,
      )
    },
  },
  {
    id: 'maintenance.repair.planned',
    level: 'must',
    promise: 'repair that is not applied says what it would do to a damaged store and changes no byte of it.',
    prevents: 'A dry run changes the store.',
    requires: REQUIRES,
    async run({ backend, harness, random, root }) {
      await fill(backend, random)
      await backend.close()
      for (const path of (await harness.files?.()) ?? []) await damage(path)
      const before = await contents(root)
      for (const options of [undefined, {}, { apply: false }]) {
        const { applied, actions } = await maintenanceOf(backend).repair(options)
        assert.deepEqual({ applied, isAny: actions.length > 0 }, { applied: false, isAny: true })
        assert.deepEqual(await contents(root), before)
      }
    },
  },
  {
    id: 'maintenance.repair.backup',
    level: 'must',
    promise: 'repair keeps the damaged bytes where its report says.',
    prevents: 'A repair drops messages and keeps nothing that they could be saved from.',
    requires: REQUIRES,
    async run({ backend, harness, random }) {
      await fill(backend, random)
      await backend.close()
      for (const path of (await harness.files?.()) ?? []) await damage(path)
      const { applied, actions, backup } = await maintenanceOf(backend).repair({ apply: true })
      assert.ok(applied && actions.length > 0, 'every file was damaged, and repair had nothing to do')
      assert.ok(backup !== undefined, 'the report says where the damaged original is')
      const found = await stat(backup).catch(() => undefined)
      assert.ok(found !== undefined, `${backup} is there`)
      const holds = found.isDirectory()
        ? (await filesWith(backup, DAMAGE)).length > 0
        : (await readFile(backup)).includes(DAMAGE)
      assert.ok(holds, `${backup} holds the damaged bytes`)
    },
  },
  {
    id: 'maintenance.repair.others-whole',
    level: 'must',
    promise: 'Where each session has files of its own, repair leaves those that were not damaged whole.',
    prevents: 'Repairing one conversation damages others.',
    requires: REQUIRES,
    async run(context) {
      const { backend, directory } = context
      const image = await buildImage(context)
      const own = image.files.filter(({ sessions }) => sessions.size > 0)
      const [file] = own
      if (file === undefined || own.some(({ sessions }) => sessions.size > 1)) return // nothing was promised
      await damage(join(directory, file.path))
      await maintenanceOf(backend).repair({ apply: true })
      await backend.open()
      for (const { key, states } of image.sessions) {
        if (file.sessions.has(key)) continue
        assert.deepEqual(await readAll(backend, key), states.at(-1)?.events, `session ${key}, which was not damaged`)
      }
    },
  },
  {
    id: 'maintenance.repair.one-session',
    level: 'must',
    promise: 'repair of one session leaves the files of the others as they are, or refuses with INVALID_ARGUMENT.',
    prevents: 'Repairing one conversation rewrites others.',
    requires: REQUIRES,
    async run({ backend, harness, random, directory }) {
      const sessions = [new ExpectedSession(random), new ExpectedSession(random)] as const
      const files: string[] = []
      for (const session of sessions) {
        await session.grow(backend, 5)
        files.push(...((await harness.files?.()) ?? []).filter((file) => !files.includes(file)))
      }
      await backend.close()
      const [, other] = files
      // A journal may be gone now that it is closed.
      for (const path of (await harness.files?.()) ?? []) if (files.includes(path)) await damage(path)
      const before = (await contents(directory))[other ?? '']
      try {
        await maintenanceOf(backend).repair({ apply: true, session: sessions[0].key })
      } catch (error) {
        if (!isStoreError(error, 'INVALID_ARGUMENT')) throw error
      }
      assert.equal((await contents(directory))[other ?? ''], before, `${other}, which belongs to another session`)
    },
  },
]

/** The sessions of an opened store that are damaged. One that refuses to open has said all that verify could say. */
async function unreadableOf(backend: Backend, keys: readonly string[]): Promise<string[]> {
  const unreadable: string[] = []
  for (const key of keys) {
    try {
      await readAll(backend, key)
    } catch (error) {
      if (isStoreError(error, 'CLOSED')) return []
      unreadable.push(key)
    }
  }
  return unreadable
}
