// What a busy sweeper costs the writers beside it: the p99 of addMessage with nothing to sweep and with a sweeper that
// compacts all the time, in turns on one store. The aim is a ratio of at most 2. Wants a quiet machine, takes six
// minutes, is not a part of `npm test`. Usage: node packages/turnlog/scripts/sweeper-cost.mjs [memory|leveldb|jsonl ...]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

import { jsonlBackend, leveldbBackend, memoryBackend, openStore } from 'turnlog'

const MOST = 2
const ROUNDS = 4
const ROUND_MS = 5000
const SESSIONS = 32
/** Sessions with something to remove, made before each round: more than a sweep can do in one. */
const DEAD_SESSIONS = 400
/** Every so-manieth of them is large enough to have its storage rewritten. */
const LARGE_EVERY = 16

const BACKENDS = {
  memory: () => memoryBackend(),
  leveldb: (path) => leveldbBackend({ path }),
  jsonl: (path) => jsonlBackend({ path }),
}

/** Who writes. Each gives the microseconds that every addMessage took, until the time is up. */
const WRITERS = {
  'one caller, without pause': async (add) => {
    const latencies = []
    for (const end = performance.now() + ROUND_MS; performance.now() < end;) {
      latencies.push(await add())
      await nextTurn() // the memory backend would leave no turn to anybody else
    }
    return latencies
  },
  'a message every 3 ms': async (add) => {
    const running = []
    for (const end = performance.now() + ROUND_MS; performance.now() < end;) {
      running.push(add())
      await wait(3)
    }
    return Promise.all(running)
  },
}

const directory = mkdtempSync(join(tmpdir(), 'turnlog-sweeper-'))
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(BACKENDS)
try {
  for (const name of wanted) {
    for (const [index, writer] of Object.keys(WRITERS).entries()) await measure(name, writer, String(index))
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function measure(name, writer, place) {
  let isBusy = false
  let waiting
  // The sweeper waits for this clock between two sweeps: for a millisecond in busy rounds, for ever in idle ones.
  const clock = {
    now: Date.now,
    schedule: (task) => {
      waiting = task
      if (isBusy) setTimeout(() => resume(), 1)
      return () => undefined
    },
  }
  const resume = () => {
    const task = waiting
    waiting = undefined
    task?.()
  }
  const backend = BACKENDS[name](join(directory, `${name}-${place}`))
  const store = await openStore({ backend, clock, retention: { removedEventsForMs: 0 } })
  let number = 0
  const add = async () => {
    number += 1
    const startedAt = performance.now()
    await store.addMessage(`live:${number % SESSIONS}`, 'user', `message ${number} `.padEnd(800, 'x'))
    return (performance.now() - startedAt) * 1000
  }
  const latencies = { idle: [], busy: [] }
  const ratios = []
  let eventsRemoved = 0
  for (let round = -1; round < ROUNDS; round++) {
    const p99 = {}
    for (const kind of round % 2 === 0 ? ['idle', 'busy'] : ['busy', 'idle']) {
      await makeDead(store)
      await wait(200) // until the backend has put its house in order
      const before = await eventsIn(store)
      isBusy = kind === 'busy'
      if (isBusy) resume()
      const some = await WRITERS[writer](add)
      isBusy = false
      if (kind === 'busy' && round >= 0) eventsRemoved += before + some.length - (await eventsIn(store))
      while (!(await store.sweep()).done);
      for (let i = 0; i < SESSIONS; i++) await store.deleteSession(`live:${i}`)
      p99[kind] = quantile(some, 0.99)
      if (round >= 0) latencies[kind] = latencies[kind].concat(some) // the first round warms up
    }
    if (round >= 0) ratios.push(p99.busy / p99.idle)
  }
  await store.close()
  report(name, writer, { latencies, ratios, eventsRemoved })
}

async function makeDead(store) {
  await Promise.all(
    Array.from({ length: DEAD_SESSIONS }, async (_, i) => {
      const size = i % LARGE_EVERY === LARGE_EVERY - 1 ? 4000 : 400
      const text = `${i} `.padEnd(size, 'y')
      const messages = Array.from({ length: 40 }, (_message, n) => ({ role: 'user', content: `${n} ${text}` }))
      await store.addMessages(`dead:${i}`, messages)
      await store.truncateHistory(`dead:${i}`, 2)
    }),
  )
}

async function eventsIn(store) {
  return (await store.stats()).events
}

function report(name, writer, { latencies: { idle, busy }, ratios, eventsRemoved }) {
  const figures = (all) =>
    `p50 ${microseconds(quantile(all, 0.5))}  p99 ${microseconds(quantile(all, 0.99))}  max ${microseconds(quantile(all, 1))}`
  const ratio = quantile(busy, 0.99) / quantile(idle, 0.99)
  console.log(`${name}, ${writer}: ${idle.length} and ${busy.length} messages, ${eventsRemoved} events removed beside them
  idle  ${figures(idle)}
  busy  ${figures(busy)}
  p99 busy / idle: ${ratio.toFixed(2)} over all rounds, ${quantile(ratios, 0.5).toFixed(2)} in the median round${ratio <= MOST ? '' : `  MISSED: at most ${MOST}`}`)
  if (ratio > MOST) process.exitCode = 1
}

function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function microseconds(value) {
  return `${Math.round(value)} µs`.padStart(10)
}
