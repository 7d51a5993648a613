import assert, { AssertionError } from 'node:assert/strict'
import { rm, truncate } from 'node:fs/promises'

import type { Case } from '../context/case.ts'
import { buildImage, examineDamaged } from '../probe/damage.ts'
import { cuts, flip, flips, tailStart, zero } from '../probe/damage-places.ts'
import { judgeDamage } from '../probe/judge-damage.ts'
import { judgeTypes } from '../probe/judge-types.ts'
import { leaksOf } from '../probe/leaks.ts'
import { makeEvents } from '../probe/make-events.ts'

const REQUIRES = ['persistent', 'detectsDamage', 'files'] as const

export const corruptionCases: readonly Case[] = [
  {
    id: 'corruption.truncated',
    level: 'must',
    promise:
      'A file cut at any byte of its last records gives the same events, CORRUPT, or whole batches with a finding; only a cut exactly where a record ends may go unnoticed.',
    prevents: 'A file that lost its end gives a shorter conversation without a word.',
    requires: REQUIRES,
    timeoutMs: 180_000,
    async run(context) {
      const image = await buildImage(context)
      for (const file of image.files) {
        for (const size of cuts(context, file)) {
          const found = await examineDamaged(context, image, (path) => truncate(path(file.path), size))
          judgeDamage(image, found, `${file.path} cut from ${file.size} to ${size} bytes`, {
            prefixIfReported: true,
            prefix: file.ends.includes(size),
          })
        }
      }
    },
  },
  {
    id: 'corruption.append-after-truncation',
    level: 'must',
    promise:
      'What is appended after a torn tail was cut off is never joined to it: it is there, whole, after a reopen.',
    prevents: 'A new message is glued to a torn one and both are lost.',
    requires: REQUIRES,
    timeoutMs: 120_000,
    async run(context) {
      const { random, count } = context
      const image = await buildImage(context)
      for (let i = 0; i < count(25); i++) {
        const file = random.pick(image.files)
        const size = random.integer(Math.min(tailStart(file, 1), file.size), Math.max(0, file.size - 1))
        await examineDamaged(
          context,
          image,
          (path) => truncate(path(file.path), size),
          async (backend, reopen) => {
            const grown = new Map<string, string>()
            for (const { key } of image.sessions) {
              const head = await backend.head(key).catch(() => undefined)
              if (head === undefined) continue
              const events = makeEvents(random, head.last + 1, 2)
              try {
                await backend.append(key, head, events, 'grown')
                grown.set(key, JSON.stringify(events))
              } catch {
                continue // a damaged session refuses to grow, which is honest
              }
            }
            if (grown.size === 0) return
            const reopened = await reopen()
            for (const [key, events] of grown) {
              const head = await reopened.head(key)
              const last = head?.last ?? 0
              const read = []
              for await (const batch of reopened.read(key, [{ from: Math.max(1, last - 1), to: last }]))
                read.push(...batch)
              assert.equal(JSON.stringify(read), events, `${file.path} cut to ${size} bytes, then appended to ${key}`)
            }
          },
        )
      }
    },
  },
  {
    id: 'corruption.flipped',
    level: 'must',
    promise:
      'A flipped bit anywhere gives the same events and heads or CORRUPT; in the last records it may be taken for a torn tail, with a finding.',
    prevents: 'A damaged disk changes what was said, and nobody is told.',
    requires: REQUIRES,
    timeoutMs: 180_000,
    async run(context) {
      const image = await buildImage(context)
      for (const { file, offset, bit } of flips(context, image)) {
        const found = await examineDamaged(context, image, (path) => flip(path(file.path), offset, bit))
        judgeDamage(image, found, `${file.path}, bit ${bit} of byte ${offset} of ${file.size} flipped`, {
          prefixIfReported: offset >= tailStart(file, 1),
        })
      }
    },
  },
  {
    id: 'corruption.zeroed-tail',
    level: 'must',
    promise:
      'A tail that a file system filled with zeros gives the same events, CORRUPT, or whole batches with a finding.',
    prevents: 'Zeros after a power failure are read as data, or hide it.',
    requires: REQUIRES,
    async run(context) {
      const image = await buildImage(context)
      for (const file of image.files) {
        for (const from of [tailStart(file, 1), Math.max(0, file.size - 9)]) {
          const found = await examineDamaged(context, image, (path) => zero(path(file.path), from, file.size - from))
          judgeDamage(image, found, `${file.path}, zeros from byte ${from} of ${file.size}`, { prefixIfReported: true })
        }
        const longer = await examineDamaged(context, image, (path) => zero(path(file.path), file.size, 64))
        judgeDamage(image, longer, `${file.path}, 64 zeros more`, {})
      }
    },
  },
  {
    id: 'corruption.no-contents',
    level: 'must',
    promise:
      'What is said about damage, in errors with their causes and in findings, contains nothing of any message or projection, whether damage is detected or not.',
    prevents: 'Private messages end up in error logs when a store is damaged.',
    requires: ['persistent', 'files'],
    async run(context) {
      const image = await buildImage(context)
      const leaks = leaksOf(image)
      const damages = [...flips(context, image)].slice(0, context.count(60))
      for (const { file, offset, bit } of damages) {
        const { said } = await examineDamaged(context, image, (path) => flip(path(file.path), offset, bit))
        assert.deepEqual(leaks(said), [], `${file.path}, bit ${bit} of byte ${offset} flipped: ${said}`)
      }
    },
  },
  {
    id: 'corruption.file-deleted',
    level: 'must',
    promise:
      'A deleted file never makes a session shorter or different without an error: it is whole, gone as a whole, or CORRUPT.',
    prevents: 'A conversation is shorter without a word when one of its files is gone.',
    requires: REQUIRES,
    async run(context) {
      const image = await buildImage(context)
      for (const file of image.files) {
        const found = await examineDamaged(context, image, (path) => rm(path(file.path)))
        judgeDamage(image, found, `${file.path} deleted`, { prefixIfReported: true, absent: true })
      }
    },
  },
  {
    id: 'corruption.file-deleted.reported',
    level: 'should',
    promise: 'A deleted file is noticed: the same events, or CORRUPT.',
    prevents: 'A conversation disappears without a word when its file is gone.',
    requires: REQUIRES,
    async run(context) {
      const image = await buildImage(context)
      for (const file of image.files) {
        const found = await examineDamaged(context, image, (path) => rm(path(file.path)))
        judgeDamage(image, found, `${file.path} deleted`, { prefixIfReported: true })
      }
    },
  },
  {
    id: 'corruption.others-readable',
    level: 'should',
    promise: 'Where each session has files of its own, damage to one session leaves the others readable.',
    prevents: 'One damaged conversation makes all the others unreadable.',
    requires: REQUIRES,
    async run(context) {
      const image = await buildImage(context)
      const own = image.files.filter(({ sessions }) => sessions.size > 0)
      if (own.some(({ sessions }) => sessions.size > 1)) return // one file for all: nothing was promised
      for (const file of own) {
        const found = await examineDamaged(context, image, (path) =>
          flip(path(file.path), Math.floor(file.size / 2), 1),
        )
        for (const { key, states } of image.sessions) {
          if (file.sessions.has(key)) continue
          const { listed: _listed, ...outcome } = found.outcomes.get(key) ?? {}
          assert.deepEqual(outcome, { kind: 'state', ...states.at(-1) }, `${file.path} damaged, session ${key}`)
        }
      }
    },
  },
  {
    id: 'corruption.without-promise',
    level: 'must',
    promise:
      'A backend that does not say it detects damage answers a flipped bit with heads and events of the right types or with a StoreError.',
    prevents: 'Core works on values of the wrong type, or a program ends by an error that nobody knows.',
    requires: ['persistent', 'files'],
    unless: ['detectsDamage'],
    async run(context) {
      const image = await buildImage(context)
      for (const { file, offset, bit } of flips(context, image)) {
        const what = `${file.path}, bit ${bit} of byte ${offset} of ${file.size} flipped`
        const damaged = examineDamaged(context, image, (path) => flip(path(file.path), offset, bit))
        const examination = await damaged.catch((error: unknown) => {
          throw new AssertionError({ message: what, expected: 'heads and events, or a StoreError', actual: error })
        })
        judgeTypes(examination, what)
      }
    },
  },
]
