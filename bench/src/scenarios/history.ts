import type { Message } from 'turnlog'

import { bareLevel } from '../contestants/bare-level.ts'
import { levelRows } from '../contestants/level-rows.ts'
import { lmdbSync } from '../contestants/lmdb.ts'
import { naiveReader } from '../contestants/raw-write.ts'
import { sqliteFull } from '../contestants/sqlite.ts'
import { plainJsonlReader, turnlogJsonl, turnlogLeveldb, turnlogMemory, turnlogSqlite } from '../contestants/turnlog.ts'
import { MessageGenerator } from '../message-generator.ts'
import { timeSequence } from '../timing/slice.ts'
import { warmUpRounds } from '../timing/alternate.ts'
import { compete } from './compete.ts'
import type { Entrant } from './entrant.ts'
import type { Scale, Scenario, ScenarioContext } from './scenario.ts'

/** Messages that come in one append: about a turn of an agent, or a few where a history is long. */
const TURN = 7
const LONG_TURN = 28
const LONG = 10_000

/** Read before the clock starts, so that opening files and reading indexes is not part of the first read. */
const WARM_UP = 'warm-up'

const SESSIONS: Readonly<Record<number, Readonly<Record<Scale, number>>>> = {
  100: { full: 64, quick: 32, tiny: 1 },
  1000: { full: 16, quick: 6, tiny: 1 },
  10_000: { full: 4, quick: 1, tiny: 1 },
}

function sessionsOf(messages: number, scale: Scale): string[] {
  return Array.from({ length: SESSIONS[messages]?.[scale] ?? 1 }, (_, index) => `session-${index}`)
}

/** `count` sessions are interleaved turn by turn, as they are in life. */
async function fill(entrant: Entrant, context: ScenarioContext, sessions: readonly string[], messages: number) {
  const generators = sessions.map((_, index) => new MessageGenerator(context.seed + index))
  const length = context.scale === 'tiny' ? 10 : messages
  const turn = messages < LONG ? TURN : LONG_TURN
  for (let written = 0; written < length; written += turn) {
    await Promise.all(
      sessions.map((session, index) =>
        entrant.appendAll(session, (generators[index] as MessageGenerator).take(Math.min(turn, length - written))),
      ),
    )
  }
}

async function fetch({ keeper }: Entrant, session: string): Promise<void> {
  await (keeper.touch === undefined ? keeper.read(session) : keeper.touch(session))
}

function cold(messages: number): Scenario {
  return compete({
    id: `history-${messages}-cold`,
    title: `Cold read of ${messages.toLocaleString('en')} messages`,
    about:
      'The store has just been opened and another session was read; then each session is read once. Files are in the cache of the operating system. Turnlog verifies checksums and freezes what it returns.',
    durability: 'sync',
    unit: 'histories/s',
    base: 'sqlite-full',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      bareLevel('sync'),
      sqliteFull,
      lmdbSync,
      naiveReader('sync'),
      plainJsonlReader('sync'),
      ...(messages === 100 ? [levelRows({ withHead: false }), levelRows({ withHead: true })] : []),
    ],
    rounds: { full: 15, quick: messages > 1000 ? 5 : 9, tiny: 1 },
    warmUp: (scale) => warmUpRounds(messages * sessionsOf(messages, scale).length, scale),
    setUp: async (entrant, context) => {
      await fill(entrant, context, [WARM_UP, ...sessionsOf(messages, context.scale)], messages)
      return undefined
    },
    prepare: async (entrant) => {
      await entrant.reopen()
      await fetch(entrant, WARM_UP)
    },
    slice: (entrant, { scale }) => {
      const sessions = sessionsOf(messages, scale)
      return timeSequence(sessions.length, (index) => fetch(entrant, sessions[index] as string))
    },
  })
}

function warm(messages: number): Scenario {
  const reads = { full: 200, quick: 40, tiny: 2 }
  let last: readonly Message[] = []
  return compete({
    id: `history-${messages}-warm`,
    title: `Repeated read of ${messages.toLocaleString('en')} messages`,
    about:
      'One session is read again and again, as an agent loop does. Turnlog keeps views in memory; the others read.',
    durability: 'sync',
    unit: 'histories/s',
    base: 'sqlite-full',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      bareLevel('sync'),
      sqliteFull,
      lmdbSync,
    ],
    rounds: { full: 11, quick: messages > 1000 ? 3 : 5, tiny: 1 },
    setUp: async (entrant, context) => {
      await fill(entrant, context, ['session-0'], messages)
      return undefined
    },
    slice: async (entrant, { scale }) => {
      const isSlow = messages >= 10_000 && !entrant.contestant.label.startsWith('turnlog')
      const slice = await timeSequence(isSlow ? Math.min(5, reads[scale]) : reads[scale], async () => {
        last = await entrant.keeper.read('session-0')
      })
      if (last.length !== entrant.written('session-0').length) throw new Error(`${entrant.id} read too few`)
      return slice
    },
  })
}

export const historyScenarios: readonly Scenario[] = [
  cold(100),
  cold(1000),
  cold(10_000),
  warm(100),
  warm(1000),
  warm(10_000),
  compete({
    id: 'history-memory',
    title: 'Repeated read of 1,000 messages in memory',
    about: 'The memory backend, through the same store.',
    durability: 'none',
    unit: 'histories/s',
    base: 'memory',
    contestants: [turnlogMemory()],
    rounds: { full: 11, quick: 5, tiny: 1 },
    setUp: async (entrant, context) => {
      await fill(entrant, context, ['session-0'], 1000)
      return undefined
    },
    slice: (entrant, { scale }) => timeSequence(scale === 'tiny' ? 5 : 500, () => entrant.keeper.read('session-0')),
  }),
]
