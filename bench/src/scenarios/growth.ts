import { fork } from 'node:child_process'
import { copyFileSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import type { Message } from 'turnlog'
import { ClassicLevel } from 'classic-level'

import { bareRows } from '../contestants/bare-rows.ts'
import type { Keeper } from '../contestants/contestant.ts'
import { turnlogLeveldb } from '../contestants/turnlog.ts'
import { grownKey } from '../grown-store.ts'
import type { GrownStore, GrowthRequest } from '../grown-store.ts'
import { MessageGenerator } from '../message-generator.ts'
import { alternate, roundsOf } from '../timing/alternate.ts'
import type { Subject } from '../timing/alternate.ts'
import { timeCallers, timeSequence } from '../timing/slice.ts'
import { pairedRatio } from '../timing/statistics.ts'
import { bytesBelow } from './entrant.ts'
import type { Scale, Scenario, ScenarioContext, ScenarioResult } from './scenario.ts'
import { summariseSlices } from './summarise-slices.ts'

const ABOUT = {
  id: 'growth',
  title: 'A large store beside a small one',
  about:
    'LevelDB: 1,000,000 events over 100,000 sessions (50,000 over 5,000 in a quick run) beside 10,000 over 1,000. The writer ended by kill -9. Appends are durable, by 64 callers on 64 sessions.',
  durability: 'sync',
  unit: 'operations/s',
  base: 'append-small',
} as const

const SESSION_EVENTS = 10
const LARGE: Readonly<Record<Scale, number>> = { full: 100_000, quick: 5000, tiny: 70 }
const SMALL: Readonly<Record<Scale, number>> = { full: 1000, quick: 1000, tiny: 70 }
const CALLERS = 64
const ROUNDS: Readonly<Record<Scale, number>> = { full: 9, quick: 5, tiny: 1 }

const LABELS: Readonly<Record<string, string>> = {
  'append-small': 'turnlog leveldb, append, small store',
  'append-large': 'turnlog leveldb, append, large store',
  'cold-append-small': 'turnlog leveldb, append to a cold session, small store',
  'cold-append-large': 'turnlog leveldb, append to a cold session, large store',
  list: 'turnlog leveldb, list all sessions of the large store',
  'list-bare': 'bare classic-level, iterate over as many rows',
  'open-after-kill': 'turnlog leveldb, open the large store after kill -9',
  'open-after-kill-bare': 'bare classic-level, open the same files',
  'open-copy': 'turnlog leveldb, open a copy of it, of which nothing is known',
}

export const growthScenario: Scenario = {
  ...ABOUT,
  run: async (context): Promise<ScenarioResult> => {
    const { directory, scale } = context
    const large = await grow(join(directory, 'large'), { first: 0, sessions: LARGE[scale] }, context)
    const small = await grow(join(directory, 'small'), { first: 0, sessions: SMALL[scale] }, context)
    const slices = new Map([
      ...(await alternate(openings(context), roundsOf(ROUNDS, scale))),
      ...(await measureAppends(context)),
      ...(await measureLists(context)),
    ])
    const cost = (of: string, against: string): number => {
      const rates = (id: string): number[] =>
        (slices.get(id) ?? []).map(({ operations, elapsedMs }) => operations / elapsedMs)
      return pairedRatio(rates(against), rates(of))
    }
    const compactedBytes = await compact(join(directory, 'large'))
    const figures = {
      events: LARGE[scale] * SESSION_EVENTS,
      appendCost: cost('append-large', 'append-small'),
      coldAppendCost: cost('cold-append-large', 'cold-append-small'),
      listCost: cost('list', 'list-bare'),
      openAfterKillCost: cost('open-after-kill', 'open-after-kill-bare'),
      openCopyCost: cost('open-copy', 'open-after-kill-bare'),
      diskShare: compactedBytes / large.jsonBytes,
      diskMiB: compactedBytes / 2 ** 20,
      fillUsPerEvent: large.fillUsPerEvent,
      fillUsPerEventSmall: small.fillUsPerEvent,
      ...(large.anonymousMiB === undefined ? undefined : { anonymousMiB: large.anonymousMiB }),
    }
    const measured = Array.from(slices.keys(), (id) => ({ id, label: LABELS[id] ?? id }))
    return { ...ABOUT, measurements: summariseSlices(measured, slices, ABOUT.base), absent: [], figures }
  },
}

/** Fills a store in a process that then kills itself. */
function grow(
  directory: string,
  sessions: Pick<GrowthRequest, 'first' | 'sessions'>,
  { seed }: ScenarioContext,
): Promise<GrownStore> {
  mkdirSync(directory, { recursive: true })
  return new Promise((resolve, reject) => {
    const child = fork(new URL('../growth-process.js', import.meta.url), { execArgv: ['--no-warnings'] })
    let grown: GrownStore | undefined
    child.once('message', (message: GrownStore) => {
      grown = message
    })
    child.once('exit', (code, signal) => {
      if (grown !== undefined && signal === 'SIGKILL') resolve(grown)
      else reject(new Error(`The process that fills the store ended with ${signal ?? `code ${code}`}.`))
    })
    child.send({ directory, ...sessions, sessionEvents: SESSION_EVENTS, seed } satisfies GrowthRequest)
  })
}

/**
 * Opening replays the log and writes tables, so each opening gets a copy. In that copy a process opens the store, writes
 * to new sessions and is killed: what it knew about the tables must be what a killed process knows, not what was known
 * about the files that were copied.
 */
function openings(context: ScenarioContext): Subject[] {
  const { directory, scale } = context
  const opening = (
    id: string,
    open: (copy: string) => Promise<() => Promise<void>>,
    lastWriter: (copy: string) => Promise<unknown> = (copy) =>
      grow(copy, { first: LARGE[scale], sessions: SMALL[scale] }, context),
  ): Subject => {
    const copy = join(directory, id)
    let close: (() => Promise<void>) | undefined
    const cleanUp = async (): Promise<void> => {
      await close?.()
      close = undefined
      rmSync(copy, { recursive: true, force: true })
    }
    return {
      id,
      prepare: async () => {
        await cleanUp()
        copyStore(join(directory, 'large'), copy)
        await lastWriter(copy)
      },
      slice: async () => {
        const slice = await timeSequence(1, async () => {
          close = await open(copy)
        })
        await cleanUp()
        return slice
      },
    }
  }
  const openTurnlog = async (copy: string): Promise<() => Promise<void>> => {
    const keeper = await turnlogLeveldb('sync').open(copy)
    return () => keeper.close()
  }
  return [
    opening('open-after-kill', openTurnlog),
    opening('open-copy', openTurnlog, () => Promise.resolve()),
    opening('open-after-kill-bare', async (copy) => {
      const level = new ClassicLevel(copy, { writeBufferSize: 16 * 2 ** 20, maxFileSize: 16 * 2 ** 20 })
      await level.open()
      return () => level.close()
    }),
  ]
}

/** Tables never change, so links will do for them. */
function copyStore(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'LOCK') continue
    if (entry.name.endsWith('.ldb')) linkSync(join(from, entry.name), join(to, entry.name))
    else copyFileSync(join(from, entry.name), join(to, entry.name))
  }
}

async function measureAppends({ directory, scale, seed }: ScenarioContext) {
  const pool = new MessageGenerator(seed).take(1000)
  const subjects: Subject[] = []
  const keepers: Keeper[] = []
  for (const [size, sessions] of [
    ['small', SMALL[scale]],
    ['large', LARGE[scale]],
  ] as const) {
    const keeper = await turnlogLeveldb('sync').open(join(directory, size))
    keepers.push(keeper)
    let next = 0
    const message = (): Message => pool[next++ % pool.length] as Message
    // The first sessions are in use; those behind them are touched once each, spread over the whole store.
    let cold = CALLERS
    const step = Math.max(1, Math.floor(sessions / SMALL[scale]))
    subjects.push(
      {
        id: `append-${size}`,
        slice: () => timeCallers(CALLERS, 4, (caller) => keeper.append(grownKey(caller), message())),
      },
      {
        id: `cold-append-${size}`,
        slice: () => timeCallers(CALLERS, 1, () => keeper.append(grownKey((cold++ * step) % sessions), message())),
      },
    )
  }
  const slices = await alternate(subjects, roundsOf(ROUNDS, scale))
  for (const keeper of keepers) await keeper.close()
  return slices
}

async function measureLists({ directory, scale }: ScenarioContext) {
  const rows = join(directory, 'rows')
  mkdirSync(rows)
  const bare = await bareRows.open(rows)
  const ours = await turnlogLeveldb('sync').open(join(directory, 'large'))
  for (let index = 0; index < LARGE[scale]; index += 1000) {
    const size = Math.min(1000, LARGE[scale] - index)
    const metadata = { title: 'Conversation', user: 1 }
    await Promise.all(
      Array.from({ length: size }, async (_, offset) => bare.describe?.(grownKey(index + offset), metadata)),
    )
  }
  const list = (id: string, keeper: Keeper): Subject => ({
    id,
    slice: () =>
      timeSequence(1, async () => {
        const found = await keeper.list?.()
        if (found !== LARGE[scale]) throw new Error(`${id} finds ${found} of ${LARGE[scale]} sessions`)
      }),
  })
  const slices = await alternate([list('list', ours), list('list-bare', bare)], roundsOf(ROUNDS, scale))
  await bare.close()
  await ours.close()
  return slices
}

/** What is left on disk when LevelDB has rewritten everything. */
async function compact(directory: string): Promise<number> {
  const level = new ClassicLevel<Buffer, Buffer>(directory, {
    keyEncoding: 'buffer',
    valueEncoding: 'buffer',
    blockSize: 16 * 1024,
    maxFileSize: 16 * 2 ** 20,
  })
  await level.open()
  await level.compactRange(Buffer.of(0), Buffer.of(255))
  await level.close()
  return bytesBelow(directory)
}
