import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

import { jsonlBackend, leveldbBackend, memoryBackend, openStore } from 'turnlog'
import type { Backend, SessionStore } from 'turnlog'

import { quantile } from '../timing/statistics.ts'
import { SweeperClock } from '../timing/sweeper-clock.ts'
import type { Scale, Scenario, ScenarioContext, ScenarioResult } from './scenario.ts'

const ABOUT = {
  id: 'sweeper',
  title: 'What a busy sweeper costs the writers beside it',
  about:
    'The p99 of addMessage while a sweeper compacts all the time, as a multiple of the p99 with nothing to sweep, in turns on one store.',
  durability: 'sync',
  unit: 'x idle',
  base: '',
} as const

const ROUNDS: Readonly<Record<Scale, number>> = { full: 4, quick: 2, tiny: 1 }
const ROUND_MS: Readonly<Record<Scale, number>> = { full: 5000, quick: 1000, tiny: 50 }
/** Sessions with something to remove, made before each round: more than a sweep can do in one. */
const DEAD_SESSIONS: Readonly<Record<Scale, number>> = { full: 400, quick: 200, tiny: 4 }
/** One in so many is large enough to have its storage rewritten. */
const LARGE_EVERY = 16
const LIVE_SESSIONS = 32

const BACKENDS: Readonly<Record<string, (path: string) => Backend>> = {
  memory: () => memoryBackend(),
  leveldb: (path) => leveldbBackend({ path }),
  jsonl: (path) => jsonlBackend({ path }),
}

type Add = () => Promise<number>

/** Who writes. Each gives the milliseconds that every addMessage took, until the time is up. */
const WRITERS: Readonly<Record<string, (add: Add, ms: number) => Promise<number[]>>> = {
  'without pause': async (add, ms) => {
    const latencies: number[] = []
    for (const end = performance.now() + ms; performance.now() < end;) {
      latencies.push(await add())
      await nextTurn() // the memory backend would leave no turn to anybody else
    }
    return latencies
  },
  'every 3 ms': async (add, ms) => {
    const running: Promise<number>[] = []
    for (const end = performance.now() + ms; performance.now() < end;) {
      running.push(add())
      await wait(3)
    }
    return Promise.all(running)
  },
}

export const sweeperScenario: Scenario = {
  ...ABOUT,
  run: async (context): Promise<ScenarioResult> => {
    const figures: Record<string, number> = {}
    for (const [name, make] of Object.entries(BACKENDS)) {
      if (context.only !== undefined && !context.only.includes(name)) continue
      for (const [index, [writer, write]] of Object.entries(WRITERS).entries()) {
        const backend = make(join(context.directory, `${name}-${index}`))
        figures[`${name} ${writer}`] = await measure(backend, write, context)
      }
    }
    return { ...ABOUT, measurements: [], absent: [], figures }
  },
}

async function measure(
  backend: Backend,
  write: (add: Add, ms: number) => Promise<number[]>,
  { scale }: ScenarioContext,
): Promise<number> {
  const clock = new SweeperClock()
  const store = await openStore({ backend, clock, retention: { removedEventsForMs: 0 } })
  const add = adderTo(store)
  const latencies: Record<'idle' | 'busy', number[]> = { idle: [], busy: [] }
  let removed = 0
  for (let round = -1; round < ROUNDS[scale]; round++) {
    for (const kind of round % 2 === 0 ? (['idle', 'busy'] as const) : (['busy', 'idle'] as const)) {
      await makeDead(store, DEAD_SESSIONS[scale])
      await wait(200) // until the backend has put its house in order
      const { events: before } = await store.stats()
      if (kind === 'busy') clock.run()
      const some = await write(add, ROUND_MS[scale])
      clock.stop()
      if (kind === 'busy') removed += before + some.length - (await store.stats()).events
      while (!(await store.sweep()).done);
      for (let index = 0; index < LIVE_SESSIONS; index++) await store.deleteSession(`live:${index}`)
      if (round >= 0) latencies[kind].push(...some) // the first round warms up
    }
  }
  await store.close()
  if (removed <= 0 && scale !== 'tiny') throw new Error('Nothing was swept while the writers wrote.')
  return quantile(latencies.busy, 0.99) / quantile(latencies.idle, 0.99)
}

function adderTo(store: SessionStore): Add {
  let number = 0
  return async () => {
    number++
    const startedAt = performance.now()
    await store.addMessage(`live:${number % LIVE_SESSIONS}`, 'user', `message ${number} `.padEnd(800, 'x'))
    return performance.now() - startedAt
  }
}

async function makeDead(store: SessionStore, sessions: number): Promise<void> {
  await Promise.all(
    Array.from({ length: sessions }, async (_, index) => {
      const size = index % LARGE_EVERY === LARGE_EVERY - 1 ? 4000 : 400
      const text = `${index} `.padEnd(size, 'y')
      const messages = Array.from({ length: 40 }, (_message, number) => ({
        role: 'user',
        content: `${number} ${text}`,
      }))
      await store.addMessages(`dead:${index}`, messages)
      await store.truncateHistory(`dead:${index}`, 2)
    }),
  )
}
