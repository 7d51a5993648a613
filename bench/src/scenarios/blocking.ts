import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Contestant } from '../contestants/contestant.ts'
import { turnlogJsonl, turnlogLeveldb, turnlogSqlite } from '../contestants/turnlog.ts'
import type { TurnlogKeeper } from '../contestants/turnlog.ts'
import { MessageGenerator } from '../message-generator.ts'
import { LoopWatch } from '../timing/loop-watch.ts'
import type { Scenario, ScenarioContext, ScenarioResult } from './scenario.ts'

const ABOUT = {
  id: 'blocking',
  title: 'Longest block of the event loop',
  about:
    'Every kind of operation on a long session (10,000 messages) and a store of many sessions, while the event loop is watched. A stop counts with the processor time that the process used in it, so that other work on the machine does not.',
  durability: 'sync',
  unit: 'ms',
  base: '',
} as const

const LONG = { full: 10_000, quick: 10_000, tiny: 20 } as const
const SESSIONS = { full: 20_000, quick: 3000, tiny: 5 } as const
const KEY = 'long'

export const blockingScenario: Scenario = {
  ...ABOUT,
  run: async (context): Promise<ScenarioResult> => {
    const figures: Record<string, number> = {}
    for (const contestant of [turnlogLeveldb('sync'), turnlogJsonl('sync'), turnlogSqlite('sync')]) {
      if (context.only !== undefined && !context.only.includes(contestant.id)) continue
      const blocks = await watchAll(contestant, context)
      figures[`${contestant.id}Ms`] = Math.max(...Object.values(blocks))
      for (const [name, ms] of Object.entries(blocks)) figures[`${contestant.id} ${name}`] = ms
    }
    return { ...ABOUT, measurements: [], absent: [], figures }
  },
}

async function watchAll(contestant: Contestant, { directory, scale, seed }: ScenarioContext) {
  const place = join(directory, contestant.id)
  mkdirSync(place)
  const watch = new LoopWatch()
  const generator = new MessageGenerator(seed)
  let keeper = (await contestant.open(place)) as TurnlogKeeper
  const messages = generator.take(LONG[scale])
  const large = generator.toolResult(scale === 'tiny' ? 1000 : 5 * 1024 * 1024)
  for (let from = 0; from < messages.length; from += 1000) {
    await watch.during('add 1,000 messages', () => keeper.store.addMessages(KEY, messages.slice(from, from + 1000)))
  }
  await watch.during('add a message', () => keeper.store.addMessage(KEY, generator.next()))
  await watch.during('add 5 MB', () => keeper.store.addMessage('large', large))
  const own = structuredClone(messages)
  await watch.during('set a history of 10,000', () => keeper.store.setHistory(KEY, [...own, generator.next()]))
  await watch.during('fill sessions', () =>
    Promise.all(
      Array.from({ length: 64 }, async (_, caller) => {
        // Made before: what the generator takes is not the store's.
        for (let index = caller; index < SESSIONS[scale]; index += 64) {
          const from = (2 * index) % (messages.length - 2)
          await keeper.store.addMessages(`session-${index}`, messages.slice(from, from + 2))
        }
      }),
    ),
  )
  await watch.during('close', () => keeper.close())
  await watch.during('open', async () => {
    keeper = (await contestant.open(place)) as TurnlogKeeper
  })
  await watch.during('cold read of 10,000', () => keeper.store.getHistory(KEY))
  await watch.during('copy of 5 MB', () => keeper.store.getHistory('large', { copy: true }))
  await watch.during('list sessions', async () => void (await keeper.list?.()))
  await watch.during('truncate', () => keeper.store.truncateHistory(KEY, 5000))
  await watch.during('compact', () => keeper.store.compact(KEY))
  await watch.during('delete', () => keeper.store.deleteSession(KEY, { erase: true }))
  await watch.during('stats', () => keeper.store.stats())
  await keeper.close()
  return watch.longest
}
