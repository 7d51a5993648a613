import type { Message, SessionStore } from 'turnlog'

import { thisBuild } from '../contestants/build.ts'
import type { Build } from '../contestants/build.ts'
import { BEFORE } from '../contestants/turnlog.ts'
import { MessageGenerator } from '../message-generator.ts'
import { alternate, roundsOf } from '../timing/alternate.ts'
import type { Subject } from '../timing/alternate.ts'
import { timeLoop } from '../timing/slice.ts'
import type { Scale, Scenario, ScenarioResult } from './scenario.ts'
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

const LOOPS: Readonly<Record<Scale, number>> = { full: 2000, quick: 1000, tiny: 10 }

/** So that what is computed is used. */
let kept: unknown

export const coreScenario: Scenario = {
  ...ABOUT,
  takesBuilds: true,
  run: async ({ scale, seed, before }): Promise<ScenarioResult> => {
    const pool = new MessageGenerator(seed).take(1000)
    const builds: [string, Build][] = [['', thisBuild]]
    if (before !== undefined) builds.push([BEFORE, before])
    const stores: SessionStore[] = []
    let next = 0
    const subjects: Subject[] = [
      plain('structured-clone', LOOPS[scale], () => structuredClone(pool[next++ % pool.length])),
      plain('slice', LOOPS[scale] * 4, () => pool.slice()),
    ]
    for (const [suffix, build] of builds) {
      const store = await openWith(build, pool)
      stores.push(store)
      for (const subject of subjectsOf(store, pool, scale)) subjects.push({ ...subject, id: `${subject.id}${suffix}` })
    }
    const slices = await alternate(subjects, roundsOf({ full: 25, quick: 11, tiny: 1 }, scale))
    for (const store of stores) {
      const history = await store.getHistory('read')
      if (kept === undefined || JSON.stringify(history) !== JSON.stringify(pool))
        throw new Error('The store lost messages.')
      await store.close()
    }
    const measured = subjects.map(({ id }) => {
      const label = LABELS[id.replace(BEFORE, '')] ?? id
      return { id, label: id.endsWith(BEFORE) ? `${label}, before` : label }
    })
    return { ...ABOUT, measurements: summariseSlices(measured, slices, ABOUT.base), absent: [] }
  },
}

async function openWith({ openStore, memoryBackend }: Build, pool: readonly Message[]): Promise<SessionStore> {
  const store = await openStore({ backend: memoryBackend(), viewCacheBytes: 1024 * 1024 * 1024 })
  await store.addMessages('read', pool)
  // A session whose view is in memory, as in an agent's loop: one that nobody has read costs less to add to.
  await store.getHistory('add')
  return store
}

function plain(id: string, count: number, operation: () => unknown): Subject {
  return {
    id,
    slice: () =>
      timeLoop(count, () => {
        kept = operation()
        return undefined
      }),
  }
}

function subjectsOf(store: SessionStore, pool: readonly Message[], scale: Scale): Subject[] {
  const loops = LOOPS[scale]
  const plainLong = Array.from({ length: 10_000 }, (_, index) => pool[index % pool.length] as Message)
  let next = 0
  const message = (): Message => pool[next++ % pool.length] as Message
  // Made anew for each round: after some thousand more messages it would not be a history of 10,000 any more.
  const atLength = (id: string, operation: (key: string) => Promise<unknown>): Subject => ({
    id,
    prepare: async () => {
      await store.deleteSession(id, { erase: true })
      for (let part = 0; part < (scale === 'tiny' ? 1 : 10); part++) await store.addMessages(id, pool)
      await store.getHistory(id)
    },
    slice: () => timeLoop(loops / 5, () => operation(id)),
  })
  return [
    { id: 'add-message', slice: () => timeLoop(loops, () => store.addMessage('add', message())) },
    {
      id: 'get-history',
      slice: () =>
        timeLoop(loops * 4, async () => {
          kept = await store.getHistory('read')
        }),
    },
    atLength('add-at-10000', (key) => store.addMessage(key, message())),
    atLength('add-and-get-at-10000', async (key) => {
      await store.addMessage(key, message())
      kept = await store.getHistory(key)
    }),
    atLength('add-and-slice-at-10000', async (key) => {
      await store.addMessage(key, message())
      kept = plainLong.slice()
    }),
  ]
}
