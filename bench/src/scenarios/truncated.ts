import { join } from 'node:path'

import type { Message } from 'turnlog'

import { turnlogJsonl, turnlogLeveldb, turnlogSqlite } from '../contestants/turnlog.ts'
import type { TurnlogKeeper } from '../contestants/turnlog.ts'
import { MessageGenerator } from '../message-generator.ts'
import { alternate, roundsOf, warmUpRounds } from '../timing/alternate.ts'
import { timeSequence } from '../timing/slice.ts'
import { Entrant } from './entrant.ts'
import type { Scenario, ScenarioContext, ScenarioResult } from './scenario.ts'
import { summariseSlices } from './summarise-slices.ts'

const LIVE = 100
const ADDED = 10
const TRUNCATIONS = { full: 100, quick: 100, tiny: 2 } as const
const SESSIONS = { full: 16, quick: 8, tiny: 1 } as const

type Kind = 'fresh' | 'truncated'

/**
 * Both kinds lie side by side in the order of keys, as sessions of any age do. Had each kind a range of keys to itself,
 * reading a fresh one would pass by the tables that were written before it began.
 */
function keyOf(kind: Kind, index: number): string {
  return `${index}-${kind}`
}

const ABOUT = {
  id: 'truncated',
  title: 'Cold read after 100 truncations',
  about: `Sessions that were cut ${TRUNCATIONS.full} times, beside new ones with the same ${LIVE} live messages in the same store.`,
  durability: 'sync',
  unit: 'histories/s',
  base: 'leveldb-fresh',
} as const

/** The two kinds of sessions of one entrant take turns as if they were contestants. */
export const truncatedScenario: Scenario = {
  ...ABOUT,
  takesBuilds: true,
  run: async (context): Promise<ScenarioResult> => {
    const guests = context.guests.filter(({ durability }) => durability === ABOUT.durability)
    const entrants: Entrant[] = []
    for (const contestant of [turnlogLeveldb('sync'), turnlogJsonl('sync'), turnlogSqlite('sync'), ...guests]) {
      if (context.only !== undefined && !context.only.includes(contestant.id)) continue
      const entrant = new Entrant(contestant, join(context.directory, contestant.id))
      await entrant.open()
      await fill(entrant, context)
      entrants.push(entrant)
    }
    const subjects = entrants.flatMap((entrant) =>
      (['fresh', 'truncated'] as const).map((kind) => ({
        id: `${entrant.id}-${kind}`,
        label: `${entrant.contestant.label}, ${kind}`,
        prepare: async () => {
          await entrant.reopen()
          await entrant.keeper.read('warm-up')
        },
        slice: () => timeSequence(SESSIONS[context.scale], (index) => entrant.keeper.read(keyOf(kind, index))),
      })),
    )
    const warmUp = warmUpRounds(LIVE * SESSIONS[context.scale], context.scale)
    const slices = await alternate(subjects, roundsOf({ full: 15, quick: 9, tiny: 1 }, context.scale, warmUp))
    for (const entrant of entrants) await verify(entrant, context)
    return { ...ABOUT, measurements: summariseSlices(subjects, slices, ABOUT.base), absent: [] }
  },
}

async function fill(entrant: Entrant, { scale, seed }: ScenarioContext): Promise<void> {
  const { store } = entrant.keeper as TurnlogKeeper
  await store.addMessages('warm-up', new MessageGenerator(seed).take(LIVE))
  await Promise.all(
    Array.from({ length: SESSIONS[scale] }, async (_, index) => {
      const generator = new MessageGenerator(seed + index)
      await store.addMessages(keyOf('truncated', index), generator.take(LIVE))
      for (let cut = 0; cut < TRUNCATIONS[scale]; cut++) {
        await store.addMessages(keyOf('truncated', index), generator.take(ADDED))
        await store.truncateHistory(keyOf('truncated', index), LIVE, { exact: true })
      }
      const live: Message[] = await store.getHistory(keyOf('truncated', index))
      for (let from = 0; from < live.length; from += ADDED) {
        await store.addMessages(keyOf('fresh', index), live.slice(from, from + ADDED))
      }
    }),
  )
}

async function verify(entrant: Entrant, { scale }: ScenarioContext): Promise<void> {
  for (let index = 0; index < SESSIONS[scale]; index++) {
    const [fresh, truncated] = await Promise.all(
      (['fresh', 'truncated'] as const).map((kind) => entrant.keeper.read(keyOf(kind, index))),
    )
    if (fresh?.length !== LIVE || JSON.stringify(fresh) !== JSON.stringify(truncated)) {
      throw new Error(`${entrant.id} does not hold the ${LIVE} live messages`)
    }
  }
  await entrant.close()
}
