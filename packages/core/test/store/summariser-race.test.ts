import { isStoreError, openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'
import type { Seeded } from '../seeded.ts'
import { runSeed, seeded } from '../seeded.ts'

interface Turn {
  readonly role: string
  readonly content?: string
  readonly id?: string
  readonly tool_calls?: readonly { readonly id: string; readonly type: string; readonly function: object }[]
  readonly tool_call_id?: string
}

type Summariser = (run: Run) => Promise<void>

const KEY = 'agent:1'
const RUNS = 1000

/** One interleaving: an agent that appends, two summarisers, and somebody who restores and replaces. */
class Run {
  readonly store: SessionStore<Turn>
  readonly random: Seeded
  readonly acknowledged = new Set<string>()
  /** Taken away on purpose by a restore. */
  readonly undone = new Set<string>()
  agentIsDone = false
  /** Messages that were appended while a summariser was at work. */
  overlap = 0

  constructor(store: SessionStore<Turn>, random: Seeded) {
    this.store = store
    this.random = random
  }

  /** Lets the other tasks go on for a while. */
  async work(most: number): Promise<void> {
    for (let turns = this.random.below(most); turns > 0; turns--) await Promise.resolve()
  }
}

async function agent(run: Run): Promise<void> {
  for (let turn = 0; turn < 8; turn++) {
    const say = async (messages: readonly Turn[]): Promise<void> => {
      await run.store.addMessages(KEY, messages)
      for (const { id } of messages) run.acknowledged.add(id as string)
      await run.work(12)
    }
    await say([{ role: 'user', content: `question ${turn}`, id: `u${turn}` }])
    const calls = Array.from({ length: 1 + run.random.below(2) }, (_, index) => `call_${index}`)
    await say([
      { role: 'assistant', id: `a${turn}`, tool_calls: calls.map((id) => ({ id, type: 'function', function: {} })) },
    ])
    for (const id of calls) await say([{ role: 'tool', tool_call_id: id, content: 'ok', id: `t${turn}${id}` }])
    await say([{ role: 'assistant', content: 'answer', id: `f${turn}` }])
  }
  run.agentIsDone = true
}

function covered(summary: string): string[] {
  return summary === '' ? [] : (JSON.parse(summary) as string[])
}

const safeSummariser: Summariser = async (run) => {
  while (!run.agentIsDone) {
    await run.work(10)
    const { messages, positions, summary, version } = await run.store.load(KEY)
    if (messages.length < 4) continue
    const cut = 1 + run.random.below(messages.length - 2)
    const before = run.acknowledged.size
    await run.work(40)
    run.overlap += run.acknowledged.size - before
    const ids = messages.slice(0, cut).map(({ id }) => id as string)
    const text = JSON.stringify([...new Set([...covered(summary), ...ids])])
    try {
      await run.store.summarize(KEY, { summary: text, through: positions[cut - 1] as number, version })
    } catch (error) {
      // The other one: a cut that would split the only pair it covers.
      if (!isStoreError(error, 'CONFLICT') && !isStoreError(error, 'INVALID_ARGUMENT')) throw error
    }
  }
}

/** What agents do today: decide by counting, cut by counting, later. */
const countingSummariser: Summariser = async (run) => {
  while (!run.agentIsDone) {
    await run.work(10)
    const { messages, summary } = await run.store.load(KEY)
    if (messages.length < 4) continue
    const cut = 1 + run.random.below(messages.length - 2)
    await run.work(40)
    const ids = messages.slice(0, cut).map(({ id }) => id as string)
    await run.store.setSummary(KEY, JSON.stringify([...new Set([...covered(summary), ...ids])]))
    await run.store.truncateHistory(KEY, messages.length - cut)
  }
}

/** Absolute cuts, but summary and cut are two writes. */
const twoWriteSummariser: Summariser = async (run) => {
  while (!run.agentIsDone) {
    await run.work(10)
    const { messages, positions, summary } = await run.store.load(KEY)
    if (messages.length < 4) continue
    const cut = 1 + run.random.below(messages.length - 2)
    await run.work(40)
    const ids = messages.slice(0, cut).map(({ id }) => id as string)
    await run.store.setSummary(KEY, JSON.stringify([...new Set([...covered(summary), ...ids])]))
    await run.work(10)
    try {
      await run.store.truncateHistory(KEY, { before: positions[cut] as number })
    } catch (error) {
      if (!isStoreError(error, 'CONFLICT')) throw error
    }
  }
}

/** Undoes and edits, but only what it has seen (with `expectedVersion`), and not while a tool is running. */
async function meddler(run: Run): Promise<void> {
  while (!run.agentIsDone) {
    await run.work(60)
    const now = await run.store.load(KEY)
    if (now.version < 6 || now.messages.at(-1)?.content === undefined || now.messages.at(-1)?.role === 'tool') continue
    try {
      if (run.random.chance(0.5)) {
        const edited = now.messages.map((message, index) => (index === 0 ? { ...message, content: 'edited' } : message))
        await run.store.setHistory(KEY, edited, { expectedVersion: now.version })
      } else {
        const at = now.version - run.random.below(5)
        const past = await run.store.getHistory(KEY, { at })
        await run.store.restore(KEY, { at }, { expectedVersion: now.version })
        const after = await run.store.load(KEY)
        const left = new Set([...past.map(({ id }) => id as string), ...covered(after.summary)])
        for (const id of [...now.messages.map((message) => message.id as string), ...covered(now.summary)]) {
          if (!left.has(id)) run.undone.add(id)
        }
      }
    } catch (error) {
      if (!isStoreError(error, 'CONFLICT')) throw error
    }
  }
}

/** Messages that are neither in the view nor in the summary, and results whose call is gone. */
async function damage(run: Run): Promise<{ lost: number; orphans: number }> {
  const { messages, summary } = await run.store.load(KEY)
  const there = new Set([...messages.map(({ id }) => id as string), ...covered(summary)])
  const lost = [...run.acknowledged].filter((id) => !there.has(id) && !run.undone.has(id)).length
  let orphans = 0
  let open = new Set<string>()
  for (const message of messages) {
    if (message.tool_calls !== undefined) open = new Set(message.tool_calls.map(({ id }) => id))
    else if (message.tool_call_id === undefined) open = new Set()
    else if (!open.delete(message.tool_call_id)) orphans++
  }
  return { lost, orphans }
}

async function interleave(
  summariser: Summariser,
  seed: number,
  withMeddler: boolean,
): Promise<{ lost: number; orphans: number; overlap: number }> {
  const store = await openStore<Turn>(memoryBackend())
  const run = new Run(store, seeded(seed))
  const others = withMeddler ? [meddler(run)] : []
  await Promise.all([agent(run), summariser(run), summariser(run), ...others])
  const result = { ...(await damage(run)), overlap: run.overlap }
  await store.close()
  return result
}

async function campaign(
  summariser: Summariser,
  runs: number,
  withMeddler: boolean,
): Promise<{ lost: number; orphans: number; overlap: number }> {
  const total = { lost: 0, orphans: 0, overlap: 0 }
  const first = runSeed('summariser race')
  for (let seed = first; seed < first + runs; seed++) {
    const { lost, orphans, overlap } = await interleave(summariser, seed, withMeddler)
    if (lost + orphans > 0 && summariser === safeSummariser)
      console.log(`seed ${seed}: ${lost} lost, ${orphans} orphans`)
    total.lost += lost
    total.orphans += orphans
    total.overlap += overlap
  }
  console.log(`${runs} interleavings:`, total)
  return total
}

test('two summarisers, an agent and somebody who restores never lose a message or a call', async () => {
  const { lost, orphans, overlap } = await campaign(safeSummariser, RUNS, true)
  expect({ lost, orphans }).toEqual({ lost: 0, orphans: 0 })
  expect(overlap).toBeGreaterThan(RUNS)
})

test('the same harness sees a cut by counting lose messages', async () => {
  expect((await campaign(countingSummariser, 50, false)).lost).toBeGreaterThan(0)
})

test('the same harness sees summary and cut in two writes lose messages', async () => {
  expect((await campaign(twoWriteSummariser, 50, false)).lost).toBeGreaterThan(0)
})
