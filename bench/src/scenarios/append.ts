import type { Message } from 'turnlog'

import { bareLevel } from '../contestants/bare-level.ts'
import type { Contestant, Durability } from '../contestants/contestant.ts'
import { fullRewrite, jsonFileSession } from '../contestants/full-rewrite.ts'
import { langgraphFull, langgraphNormal } from '../contestants/langgraph.ts'
import { lmdbSync, lmdbUnsynced } from '../contestants/lmdb.ts'
import { metadataRewrite } from '../contestants/metadata-rewrite.ts'
import { rawBlocking, rawOneHop, rawUnsynced } from '../contestants/raw-write.ts'
import { sharedLog } from '../contestants/shared-log.ts'
import { sqliteFull, sqliteGrouped, sqliteNormal } from '../contestants/sqlite.ts'
import { turnlogJsonl, turnlogLeveldb, turnlogMemory, turnlogSqlite } from '../contestants/turnlog.ts'
import { MessageGenerator } from '../message-generator.ts'
import { timeCallers, timeSequence } from '../timing/slice.ts'
import { compete } from './compete.ts'
import type { Scale, Scenario } from './scenario.ts'

interface AppendSpec {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly durability: Durability
  readonly base: string
  readonly contestants: readonly Contestant[]
  readonly callers: number
  readonly sessions: number
  readonly batch?: number
  /** Messages that are there before, because some designs cost more with each. */
  readonly preload: number
  readonly operationsEach: Readonly<Record<Scale, number>>
  readonly rounds: Readonly<Record<Scale, number>>
}

/** These take so long that fewer operations measure them as well. */
const SLOW = new Set([
  'metadata-rewrite',
  'sqlite-full',
  'full-rewrite-sync',
  'full-rewrite-os',
  'langgraph-sync',
  'langgraph-os',
  'json-file-session',
])

/**
 * Messages that each contestant adds before the clock starts. V8 compiles a path after a few thousand runs; without
 * these the first rounds measure its interpreter, which a gateway leaves within its first minutes.
 */
const WARM_UP: Readonly<Record<Scale, number>> = { full: 3000, quick: 1000, tiny: 0 }
const WARM_UP_SESSION = 'warm-up'
/** Slow contestants do so much less: of the warm-up, and of each slice. */
const SLOW_WARM_UP = 10
const SLOW_SLICE = 4

/** Messages that come in one append of the preload: about a turn of an agent. */
const TURN = 7

/** Session ids are most often UUIDs. */
function sessionKey(index: number): string {
  return `0c9a4f${index.toString(16).padStart(2, '0')}-7d1e-4b52-9f3a-5e8b6c2d1a07`
}

function append(spec: AppendSpec): Scenario {
  const { callers, sessions, batch = 1, preload } = spec
  let pool: readonly Message[] = []
  let next = 0
  const take = (count: number): Message[] => Array.from({ length: count }, () => pool[next++ % pool.length] as Message)
  return compete({
    ...spec,
    unit: batch === 1 ? 'messages/s' : `batches of ${batch}/s`,
    setUp: async (entrant, { seed, scale }) => {
      if (pool.length === 0) pool = new MessageGenerator(seed).take(1000)
      entrant.keeper.prepare?.(pool)
      await Promise.all(
        Array.from({ length: sessions }, async (_, index) => {
          for (let left = preload; left > 0; left -= TURN) {
            await entrant.appendAll(sessionKey(index), take(Math.min(TURN, left)))
          }
        }),
      )
      const warmUp = WARM_UP[scale] / (SLOW.has(entrant.id) ? SLOW_WARM_UP : 1) / callers
      await Promise.all(
        Array.from({ length: callers }, async (_, caller) => {
          const session = `${WARM_UP_SESSION}-${caller % sessions}`
          for (let left = warmUp; left > 0; left--) {
            if (batch === 1) await entrant.append(session, take(1)[0] as Message)
            else await entrant.appendAll(session, take(batch))
          }
        }),
      )
      return undefined
    },
    slice: async (entrant, { scale }) => {
      const each = Math.max(1, Math.ceil(spec.operationsEach[scale] / (SLOW.has(entrant.id) ? SLOW_SLICE : 1)))
      const work = Array.from({ length: callers * each }, () => take(batch))
      const operation = (caller: number, index: number): Promise<void> => {
        const session = sessionKey(caller % sessions)
        const messages = work[caller * each + index] as Message[]
        return batch === 1 ? entrant.append(session, messages[0] as Message) : entrant.appendAll(session, messages)
      }
      return callers === 1 ? timeSequence(each, (index) => operation(0, index)) : timeCallers(callers, each, operation)
    },
    verify: (entrant) => entrant.verify({ isOrdered: callers <= sessions }),
  })
}

const ROUNDS = { full: 25, quick: 11, tiny: 1 } as const

export const appendScenarios: readonly Scenario[] = [
  append({
    id: 'append-1',
    title: 'Durable append, one caller',
    about: 'One caller adds one message after another to a session of 100 messages and waits for each.',
    durability: 'sync',
    base: 'raw-one-hop',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      bareLevel('sync'),
      rawOneHop,
      rawBlocking,
      sqliteFull,
      lmdbSync,
      metadataRewrite,
      fullRewrite('sync'),
      langgraphFull,
    ],
    callers: 1,
    sessions: 1,
    preload: 100,
    operationsEach: { full: 40, quick: 25, tiny: 2 },
    rounds: ROUNDS,
  }),
  append({
    id: 'append-64-sessions',
    title: 'Durable append, 64 callers on 64 sessions',
    about:
      'Each caller adds to a session of its own, which holds 100 messages, and waits for each; the callers do not wait for each other.',
    durability: 'sync',
    base: 'shared-log',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      bareLevel('sync'),
      sharedLog,
      sqliteFull,
      sqliteGrouped,
      lmdbSync,
      metadataRewrite,
    ],
    callers: 64,
    sessions: 64,
    preload: 100,
    operationsEach: { full: 16, quick: 8, tiny: 1 },
    rounds: { full: 15, quick: 9, tiny: 1 },
  }),
  append({
    id: 'append-64-one',
    title: 'Durable append, 64 callers on one session',
    about: 'All callers add to the same session; each waits for its own message.',
    durability: 'sync',
    base: 'shared-log',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      bareLevel('sync'),
      sharedLog,
      sqliteFull,
      sqliteGrouped,
      lmdbSync,
      metadataRewrite,
    ],
    callers: 64,
    sessions: 1,
    preload: 100,
    operationsEach: { full: 16, quick: 8, tiny: 1 },
    rounds: { full: 15, quick: 9, tiny: 1 },
  }),
  append({
    id: 'append-batch-10',
    title: 'Durable append of 10 messages at once',
    about: 'One caller adds ten messages, all or nothing, and waits.',
    durability: 'sync',
    base: 'raw-one-hop',
    contestants: [
      turnlogLeveldb('sync'),
      turnlogJsonl('sync'),
      turnlogSqlite('sync'),
      rawOneHop,
      sqliteFull,
      lmdbSync,
      metadataRewrite,
    ],
    callers: 1,
    sessions: 1,
    batch: 10,
    preload: 100,
    operationsEach: { full: 20, quick: 10, tiny: 1 },
    rounds: { full: 15, quick: 7, tiny: 1 },
  }),
  append({
    id: 'append-os-1',
    title: 'Append without sync, one caller',
    about: 'As above, but an acknowledged message survives only the death of the process, not a power failure.',
    durability: 'os',
    base: 'raw-unsynced',
    contestants: [
      turnlogLeveldb('os'),
      turnlogJsonl('os'),
      turnlogSqlite('os'),
      rawUnsynced,
      sqliteNormal,
      lmdbUnsynced,
      fullRewrite('os'),
      langgraphNormal,
      jsonFileSession,
    ],
    callers: 1,
    sessions: 1,
    preload: 100,
    operationsEach: { full: 60, quick: 25, tiny: 2 },
    rounds: { full: 15, quick: 7, tiny: 1 },
  }),
  append({
    id: 'append-os-64-sessions',
    title: 'Append without sync, 64 callers on 64 sessions',
    about: 'Each caller adds to a session of its own; acknowledged messages survive the death of the process.',
    durability: 'os',
    base: 'sqlite-normal',
    contestants: [turnlogLeveldb('os'), turnlogJsonl('os'), turnlogSqlite('os'), sqliteNormal, lmdbUnsynced],
    callers: 64,
    sessions: 64,
    preload: 100,
    operationsEach: { full: 32, quick: 8, tiny: 1 },
    rounds: { full: 15, quick: 7, tiny: 1 },
  }),
  append({
    id: 'append-memory',
    title: 'Append in memory',
    about: 'One caller; nothing survives the process. This is what the store itself costs.',
    durability: 'none',
    base: 'memory',
    contestants: [turnlogMemory()],
    callers: 1,
    sessions: 1,
    preload: 100,
    operationsEach: { full: 2000, quick: 500, tiny: 10 },
    rounds: { full: 15, quick: 7, tiny: 1 },
  }),
]
