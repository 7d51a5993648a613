// Writes to sessions and sweeps them, until it kills itself: at a step of a sweep, or a moment after it.
//
// Before each write it says what the session will hold, and afterwards that it does: `will` and `does`, key, number of
// the first and of the last message in the view.
import fs from 'node:fs'
import { openStore } from '@turnlog/core'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { leveldbBackend } from '@turnlog/leveldb-backend'

const [name, path, seedText, stepText, delayText] = process.argv.slice(2)
let state = Number(seedText) >>> 0
let stepsLeft = Number(stepText)
let isSweeping = false

function below(end) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 4294967296) * end)
}

function say(...words) {
  fs.writeSync(1, `${words.join(' ')}\n`)
}

function die() {
  process.kill(process.pid, 'SIGKILL')
}

/** One place inside a sweep at which the process may end. */
function step() {
  if (!isSweeping) return
  stepsLeft--
  if (stepsLeft !== 0) return
  if (delayText === '0') die()
  // Not in step with anything: in the middle of whatever the storage is doing then.
  setTimeout(die, Number(delayText) / 10)
}

function withSteps(owner, method) {
  const original = owner[method]
  owner[method] = async function (...args) {
    step()
    const result = await original.apply(this, args)
    step()
    return result
  }
}

const backend =
  name === 'leveldb'
    ? leveldbBackend({ path, durability: 'os', writeBufferBytes: 64 * 1024 })
    : jsonlBackend({ path, durability: 'os' })
for (const method of ['append', 'erase']) withSteps(backend, method)
withSteps(backend.maintenance, 'reclaim')

let time = Date.now()
const clock = { now: () => time, monotonic: () => time, schedule: () => () => undefined }
const HOUR_MS = 60 * 60 * 1000
const store = await openStore({
  backend,
  clock,
  sweep: 'manual',
  onWarning: () => undefined,
  expire: { tracesForMs: HOUR_MS, prefixes: { 'idle:': { idleForMs: HOUR_MS } } },
  retention: { removedEventsForMs: 0, prefixes: { 'keep:later:': { removedEventsForMs: HOUR_MS } } },
})

const KEYS = ['keep:now:1', 'keep:now:2', 'keep:later:1', 'keep:later:2']
const views = new Map()
for (const key of KEYS) {
  const history = await store.getHistory(key)
  views.set(key, { first: history[0]?.number ?? 1, last: history.at(-1)?.number ?? 0 })
}

async function write(key, next, work) {
  say('will', key, next.first, next.last)
  await work()
  views.set(key, next)
  say('does', key, next.first, next.last)
}

async function addTo(key) {
  const { first, last } = views.get(key)
  const count = 1 + below(30)
  const messages = Array.from({ length: count }, (_, i) => ({
    role: 'user',
    number: last + 1 + i,
    content: 'x'.repeat(below(800)),
  }))
  await write(key, { first, last: last + count }, () => store.addMessages(key, messages))
}

async function cut(key) {
  const { first, last } = views.get(key)
  const keep = Math.min(last - first + 1, 1 + below(20))
  await write(key, { first: last - keep + 1, last }, () => store.truncateHistory(key, keep))
}

for (let round = 0; ; round++) {
  for (const key of KEYS) {
    await addTo(key)
    if (below(2) === 0) await addTo(key)
    await cut(key)
  }
  await store.addMessages(`idle:${round}`, [{ role: 'user', content: 'x'.repeat(below(90_000)) }])
  isSweeping = true
  for (let sweep = 0; sweep < 3; sweep++) {
    await store.sweep()
    time += HOUR_MS
  }
  isSweeping = false
}
