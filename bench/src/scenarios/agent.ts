import type { Message } from 'turnlog'

import { fullRewrite } from '../contestants/full-rewrite.ts'
import { langgraphFull } from '../contestants/langgraph.ts'
import { lmdbSync } from '../contestants/lmdb.ts'
import { metadataRewrite } from '../contestants/metadata-rewrite.ts'
import { rawOneHop } from '../contestants/raw-write.ts'
import { sqliteFull } from '../contestants/sqlite.ts'
import { turnlogJsonl, turnlogLeveldb, turnlogSqlite } from '../contestants/turnlog.ts'
import { MessageGenerator, randomFrom } from '../message-generator.ts'
import { timeCallers, timeSequence } from '../timing/slice.ts'
import { compete } from './compete.ts'
import type { Entrant } from './entrant.ts'
import type { Scenario } from './scenario.ts'

const SESSION = 'session-0'

/** Cycles of summarising keep so many messages. */
const KEPT = 10
const CYCLE = 20

const MIXED_CALLERS = 8

/** What each entrant made for itself during the set-up. */
const generators = new WeakMap<Entrant, MessageGenerator>()

function generatorOf(entrant: Entrant, seed: number): MessageGenerator {
  const known = generators.get(entrant) ?? new MessageGenerator(seed)
  generators.set(entrant, known)
  return known
}

function large(bytes: number, name: string, operations: Record<'full' | 'quick' | 'tiny', number>): Scenario {
  return compete({
    id: `large-${name.replace(' ', '').toLowerCase()}`,
    title: `Durable append of a ${name} tool result`,
    about: `One caller adds tool results of ${name} each and waits.`,
    durability: 'sync',
    unit: 'messages/s',
    base: 'raw-one-hop',
    contestants: [turnlogLeveldb('sync'), turnlogJsonl('sync'), turnlogSqlite('sync'), rawOneHop, sqliteFull, lmdbSync],
    rounds: { full: 9, quick: 5, tiny: 1 },
    slice: (entrant, { scale, seed }) => {
      const generator = generatorOf(entrant, seed)
      const results = Array.from({ length: operations[scale] }, () =>
        generator.toolResult(scale === 'tiny' ? 1000 : bytes),
      )
      entrant.keeper.prepare?.(results)
      return timeSequence(results.length, (index) => entrant.append(SESSION, results[index] as Message))
    },
  })
}

export const agentScenarios: readonly Scenario[] = [
  compete({
    id: 'set-history',
    title: 'Save a whole history with one new message',
    about:
      'The caller holds its own array of 1,000 messages, adds one and saves all of it, as frameworks do that know only "save". Turnlog compares and writes what is new.',
    durability: 'sync',
    unit: 'saves/s',
    base: 'sqlite-full',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      sqliteFull,
      fullRewrite('sync'),
      langgraphFull,
    ],
    rounds: { full: 11, quick: 5, tiny: 1 },
    setUp: async (entrant, { scale, seed }) => {
      if (entrant.keeper.replace === undefined) return 'cannot replace a history'
      await entrant.appendAll(SESSION, generatorOf(entrant, seed).take(scale === 'tiny' ? 10 : 1000))
      return undefined
    },
    slice: (entrant, { scale, seed }) => {
      const added = generatorOf(entrant, seed).take({ full: 8, quick: 4, tiny: 1 }[scale])
      const history = structuredClone(entrant.written(SESSION)) as Message[]
      return timeSequence(added.length, async (index) => {
        history.push(added[index] as Message)
        await entrant.keeper.replace?.(SESSION, history)
        entrant.record(SESSION, [added[index] as Message])
      })
    },
  }),
  compete({
    id: 'summarise',
    title: 'Summarise and truncate',
    about: `A cycle: ${CYCLE} messages one by one, then a summary and a cut to the last ${KEPT}.`,
    durability: 'sync',
    unit: 'cycles/s',
    base: 'sqlite-full',
    contestants: [turnlogLeveldb('sync'), turnlogJsonl('sync'), turnlogSqlite('sync'), sqliteFull, metadataRewrite],
    rounds: { full: 11, quick: 5, tiny: 1 },
    slice: (entrant, { scale, seed }) => {
      const generator = generatorOf(entrant, seed)
      return timeSequence({ full: 4, quick: 2, tiny: 1 }[scale], async (index) => {
        for (const message of generator.take(CYCLE)) await entrant.append(SESSION, message)
        await entrant.keeper.summarise?.(SESSION, `Summary ${index} of what was said so far`, KEPT)
      })
    },
    // A cut never splits a tool call from its results, so it may leave more than was asked for.
    verify: async (entrant) => {
      await entrant.reopen()
      const kept = await entrant.keeper.read(SESSION)
      const written = entrant.written(SESSION)
      const isTail = JSON.stringify(kept) === JSON.stringify(written.slice(-kept.length))
      if (kept.length < KEPT || kept.length > CYCLE || !isTail) throw new Error('it does not hold the last messages')
    },
  }),
  large(100 * 1024, '100 KB', { full: 10, quick: 5, tiny: 1 }),
  large(5 * 1024 * 1024, '5 MB', { full: 2, quick: 1, tiny: 1 }),
  compete({
    id: 'mixed',
    title: 'Mixed agent work',
    about: `${MIXED_CALLERS} callers on ${MIXED_CALLERS} sessions of 200 messages: four in five operations are durable appends, the fifth reads the whole history.`,
    durability: 'sync',
    unit: 'operations/s',
    base: 'sqlite-full',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      sqliteFull,
      lmdbSync,
      metadataRewrite,
    ],
    rounds: { full: 11, quick: 5, tiny: 1 },
    setUp: async (entrant, { scale, seed }) => {
      for (let caller = 0; caller < MIXED_CALLERS; caller++) {
        const messages = new MessageGenerator(seed + caller).take(scale === 'tiny' ? 5 : 200)
        await entrant.appendAll(`session-${caller}`, messages)
      }
      return undefined
    },
    slice: (entrant, { scale, seed }, round) => {
      const each = { full: 50, quick: 25, tiny: 5 }[scale]
      const random = randomFrom(seed + round)
      const generator = generatorOf(entrant, seed)
      const work = Array.from({ length: MIXED_CALLERS * each }, () => (random() < 0.2 ? undefined : generator.next()))
      return timeCallers(MIXED_CALLERS, each, async (caller, index) => {
        const message = work[caller * each + index]
        const session = `session-${caller}`
        if (message !== undefined) await entrant.append(session, message)
        else if ((await entrant.keeper.read(session)).length === 0) throw new Error(`${entrant.id} reads nothing`)
      })
    },
  }),
]
