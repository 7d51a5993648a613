import { join } from 'node:path'

import type { Message } from 'turnlog'

import { turnlogLeveldb } from '../contestants/turnlog.ts'
import { MessageGenerator } from '../message-generator.ts'
import { alternate } from '../timing/alternate.ts'
import { timeSequence } from '../timing/slice.ts'
import type { Slice } from '../timing/slice.ts'
import { Entrant } from './entrant.ts'
import type { Scale, Scenario, ScenarioResult } from './scenario.ts'
import { summariseSlices } from './summarise-slices.ts'

/** What a segment holds. */
const SEGMENT = 64
/** What is asked is a few percent, so many short rounds are needed, and more than one store: no two are equally fast. */
const STORES: Readonly<Record<Scale, number>> = { full: 4, quick: 2, tiny: 1 }
const ROUNDS: Readonly<Record<Scale, number>> = { full: 75, quick: 20, tiny: 1 }
const WARM_UP: Readonly<Record<Scale, number>> = { full: 25, quick: 10, tiny: 0 }

const ABOUT = {
  id: 'sealing',
  title: 'What sealing costs an append',
  about: `One caller adds ${SEGMENT} messages to a long session, which seals one segment, or ${SEGMENT - 2} to one that is too short for any.`,
  durability: 'sync',
  unit: 'messages/s',
  base: 'leveldb-unsealed',
} as const

const LABEL = turnlogLeveldb('sync').label
const KINDS = [
  { id: 'leveldb-sealed', label: `${LABEL}, a segment per ${SEGMENT} messages` },
  { id: 'leveldb-unsealed', label: `${LABEL}, single rows only` },
] as const

/** The two kinds have stores of their own: what LevelDB compacts of one must not hold up the other. */
export const sealingScenario: Scenario = {
  ...ABOUT,
  run: async (context): Promise<ScenarioResult> => {
    const { scale, seed, only } = context
    if (only !== undefined && !only.includes('leveldb')) return { ...ABOUT, measurements: [], absent: [] }
    const pool = new MessageGenerator(seed).take(1000)
    const slices = new Map<string, Slice[]>(KINDS.map(({ id }) => [id, []]))
    for (let store = 0; store < STORES[scale]; store++) {
      for (const [id, more] of await measure(join(context.directory, String(store)), scale, pool)) {
        slices.get(id)?.push(...more)
      }
    }
    return { ...ABOUT, measurements: summariseSlices(KINDS, slices, ABOUT.base), absent: [] }
  },
}

async function measure(directory: string, scale: Scale, pool: readonly Message[]): Promise<Map<string, Slice[]>> {
  const enter = async ({ id }: { readonly id: string }): Promise<Entrant> => {
    const entrant = new Entrant(turnlogLeveldb('sync'), join(directory, id))
    await entrant.open()
    return entrant
  }
  const sealed = await enter(KINDS[0])
  const unsealed = await enter(KINDS[1])
  let next = 0
  const take = (): Message => pool[next++ % pool.length] as Message
  const subjects = [
    { id: KINDS[0].id, slice: () => timeSequence(SEGMENT, () => sealed.append('long', take())) },
    {
      id: KINDS[1].id,
      // To make a session takes longer than to go on with one.
      prepare: (round: number) => unsealed.append(`short-${round}`, take()),
      slice: (round: number) => timeSequence(SEGMENT - 2, () => unsealed.append(`short-${round}`, take())),
    },
  ]
  const slices = await alternate(subjects, { least: ROUNDS[scale], warmUp: WARM_UP[scale] })
  for (const entrant of [sealed, unsealed]) {
    await entrant.verify()
    await entrant.close()
  }
  return slices
}
