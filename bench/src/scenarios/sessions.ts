import { bareLevel } from '../contestants/bare-level.ts'
import { bareRows } from '../contestants/bare-rows.ts'
import { lmdbSync } from '../contestants/lmdb.ts'
import { sqliteFull, sqliteNormal } from '../contestants/sqlite.ts'
import { turnlogJsonl, turnlogLeveldb, turnlogSqlite } from '../contestants/turnlog.ts'
import { MessageGenerator } from '../message-generator.ts'
import { timeSequence } from '../timing/slice.ts'
import { compete } from './compete.ts'
import type { Scenario } from './scenario.ts'

const LISTED = { full: 100_000, quick: 5000, tiny: 20 } as const
const OPENED = { full: 1000, quick: 200, tiny: 3 } as const
const OPENED_MESSAGES = 100

/** Sessions that are filled at the same time. */
const WIDTH = 64

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: WIDTH }, worker))
}

function listedKey(index: number): string {
  return `user-${String(index).padStart(6, '0')}`
}

export const sessionsScenarios: readonly Scenario[] = [
  compete({
    id: 'list',
    title: 'List all sessions',
    about:
      '100,000 sessions (5,000 in a quick run) with one message and metadata each: every key with its count of messages, metadata and times.',
    durability: 'os',
    unit: 'lists/s',
    base: 'bare-rows',
    contestants: [turnlogLeveldb('os'), turnlogJsonl('os'), turnlogSqlite('os'), bareRows, sqliteNormal],
    rounds: { full: 7, quick: 5, tiny: 1 },
    setUp: async (entrant, { scale, seed }) => {
      if (entrant.keeper.list === undefined) return 'cannot list sessions'
      const [message] = new MessageGenerator(seed).take(1)
      if (message === undefined) return 'there is no message'
      await inParallel(LISTED[scale], async (index) => {
        await entrant.keeper.append(listedKey(index), message)
        await entrant.keeper.describe?.(listedKey(index), { title: `Conversation ${index}`, user: index % 1000 })
      })
      return undefined
    },
    slice: (entrant, { scale }) =>
      timeSequence(1, async () => {
        const found = await entrant.keeper.list?.()
        if (found !== LISTED[scale]) throw new Error(`${entrant.id} lists ${found} of ${LISTED[scale]} sessions`)
      }),
    verify: async (entrant, { scale }) => {
      await entrant.reopen()
      const found = await entrant.keeper.list?.()
      if (found !== LISTED[scale]) throw new Error(`it lists ${found} of ${LISTED[scale]} sessions`)
    },
  }),
  compete({
    id: 'open',
    title: 'Open a store and read one session',
    about: `A closed store of 1,000 sessions with 100 messages each (200 in a quick run) is opened and one session is read.`,
    durability: 'sync',
    unit: 'opens/s',
    base: 'bare-level',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      bareLevel('sync'),
      sqliteFull,
      lmdbSync,
    ],
    rounds: { full: 11, quick: 5, tiny: 1 },
    setUp: async (entrant, { scale, seed }) => {
      const messages = new MessageGenerator(seed).take(OPENED_MESSAGES)
      const half = messages.length / 2
      await inParallel(OPENED[scale], async (index) => {
        await entrant.appendAll(listedKey(index), messages.slice(0, half))
        await entrant.appendAll(listedKey(index), messages.slice(half))
      })
      await entrant.close()
      return undefined
    },
    prepare: (entrant) => entrant.close(),
    slice: (entrant, { scale }, round) =>
      timeSequence(1, async () => {
        await entrant.open()
        await entrant.keeper.read(listedKey((round * 37) % OPENED[scale]))
      }),
  }),
]
