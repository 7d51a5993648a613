import { openStore } from '@turnlog/core'
import type { Message } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'

import { MessageGenerator } from '../message-generator.ts'
import { alternate, roundsOf } from '../timing/alternate.ts'
import type { Subject } from '../timing/alternate.ts'
import { timeLoop } from '../timing/slice.ts'
import type { Scenario, ScenarioResult } from './scenario.ts'
import { summariseSlices } from './summarise-slices.ts'

const ABOUT = {
  id: 'core',
  title: 'What the store itself costs',
  about:
    'The memory backend against the plain JavaScript that does the least: a structuredClone of a message, a slice of an array.',
  durability: 'none',
  unit: 'operations/s',
  base: 'structured-clone',
} as const

const LABELS: Readonly<Record<string, string>> = {
  'structured-clone': 'structuredClone of a message',
  'add-message': 'addMessage',
  slice: 'slice() of 1,000 messages',
  'get-history': 'getHistory of 1,000 messages',
  'add-at-10000': 'addMessage at 10,000 messages',
  'add-and-get-at-10000': 'addMessage + getHistory at 10,000 messages',
  'add-and-slice-at-10000': 'addMessage + slice() of 10,000, the least that it can be',
}

export const coreScenario: Scenario = {
  ...ABOUT,
  run: async ({ scale, seed }): Promise<ScenarioResult> => {
    const pool = new MessageGenerator(seed).take(1000)
    const store = await openStore({ backend: memoryBackend(), viewCacheBytes: 1024 * 1024 * 1024 })
    const plain: readonly Message[] = structuredClone(pool)
    const plainLong = Array.from({ length: 10_000 }, (_, index) => plain[index % plain.length] as Message)
    // Made anew for each round: after some thousand more messages it would not be a history of 10,000 any more.
    const long = async (key: string): Promise<void> => {
      await store.deleteSession(key, { erase: true })
      for (let part = 0; part < (scale === 'tiny' ? 1 : 10); part += 1) await store.addMessages(key, pool)
      await store.getHistory(key)
    }
    await store.addMessages('read', pool)
    // A session whose view is in memory, as in an agent's loop: one that nobody has read costs less to add to.
    await store.getHistory('add')
    let next = 0
    const message = (): Message => pool[next++ % pool.length] as Message
    let kept: unknown
    const loops = { full: 2000, quick: 1000, tiny: 10 }[scale]
    const subject = (id: string, count: number, operation: () => Promise<unknown> | undefined): Subject => ({
      id,
      slice: () => timeLoop(count, operation),
    })
    const subjects = [
      subject('structured-clone', loops, () => {
        kept = structuredClone(message())
        return undefined
      }),
      subject('add-message', loops, () => store.addMessage('add', message())),
      subject('slice', loops * 4, () => {
        kept = plain.slice()
        return undefined
      }),
      subject('get-history', loops * 4, async () => {
        kept = await store.getHistory('read')
      }),
      {
        ...subject('add-at-10000', loops / 5, () => store.addMessage('alone', message())),
        prepare: () => long('alone'),
      },
      {
        ...subject('add-and-get-at-10000', loops / 5, async () => {
          await store.addMessage('both', message())
          kept = await store.getHistory('both')
        }),
        prepare: () => long('both'),
      },
      {
        ...subject('add-and-slice-at-10000', loops / 5, async () => {
          await store.addMessage('least', message())
          kept = plainLong.slice()
        }),
        prepare: () => long('least'),
      },
    ]
    const slices = await alternate(subjects, roundsOf({ full: 25, quick: 11, tiny: 1 }, scale))
    const history = await store.getHistory('read')
    if (kept === undefined || JSON.stringify(history) !== JSON.stringify(pool))
      throw new Error('The store lost messages.')
    await store.close()
    const measured = subjects.map(({ id }) => ({ id, label: LABELS[id] ?? id }))
    return { ...ABOUT, measurements: summariseSlices(measured, slices, ABOUT.base), absent: [] }
  },
}
