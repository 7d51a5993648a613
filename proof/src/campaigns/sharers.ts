import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

import { openStore } from '@turnlog/core'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import { makeBackend } from '../child/make-backend.ts'
import type { StorePlace } from '../child/make-backend.ts'
import type { SharerTask } from '../child/sharer-main.ts'
import { startChild } from '../machine/start-child.ts'
import type { Child } from '../machine/start-child.ts'

const WRITERS = 8
const SESSIONS = ['one', 'two', 'three']
/** Of one store, before it is read back and another one begins. */
const KILLS_EACH = 50

interface Acknowledged {
  readonly session: string
  readonly version: number
  readonly content: string
}

interface Writer {
  readonly child: Child
  readonly acknowledged: Acknowledged[]
}

export const sharers: Campaign = {
  name: 'sharers',
  title: 'Eight processes write to the same sessions of one store, and one after the other is killed',
  run: async (context) => (context.backends.includes('sqlite') ? [await killSharers(context)] : []),
}

async function killSharers(context: CampaignContext): Promise<Outcome> {
  const { random } = context
  const directory = context.directory()
  const kills = context.attempts(24, 2000)
  const hasTime = context.budget()
  const violations: string[] = []
  let done = 0
  let acknowledged = 0
  for (let store = 0; done < kills && hasTime(); store++) {
    const place: StorePlace = { backend: 'sqlite', path: join(directory, `store-${store}`) }
    const gone: Writer[] = []
    const writers: Writer[] = []
    let started = 0
    const start = (): Writer => startWriter({ ...place, tag: `${store}-${started++}`, sessions: SESSIONS })
    while (writers.length < WRITERS) writers.push(start())
    for (let kill = 0; kill < KILLS_EACH && done < kills && hasTime(); kill++, done++) {
      const at = random.integer(0, WRITERS - 1)
      const [victim] = writers.splice(at, 1, start())
      await victim?.child.ready
      await delay(random.next() * 100)
      victim?.child.process.kill('SIGKILL')
      if (victim !== undefined) gone.push(victim)
    }
    for (const writer of writers) writer.child.process.kill('SIGKILL')
    const all = [...gone, ...writers]
    for (const { child } of all) {
      const { signal, errorText } = await child.ended
      if (signal !== 'SIGKILL') violations.push(`store ${store}: a writer ended by itself: ${errorText}`)
    }
    const told = all.flatMap((writer) => writer.acknowledged)
    acknowledged += told.length
    for (const problem of await judge(place, told)) violations.push(`store ${store}: ${problem}`)
    context.progress(`${done} of ${kills} kills, ${acknowledged} acknowledged, ${violations.length} violations`)
  }
  if (done > 0 && acknowledged === 0) violations.push('nothing was ever acknowledged: the harness does not do its work')
  const promise =
    'Of what several processes were told that it is written, all is there, once, at the version that they were told'
  const note = `${acknowledged} acknowledged messages`
  return { campaign: 'sharers', backend: 'sqlite', promise, attempts: done, unit: 'kills', violations, note }
}

function startWriter(task: SharerTask): Writer {
  const child = startChild('sharer', task)
  const acknowledged: Acknowledged[] = []
  if (child.process.stdout !== null) {
    createInterface({ input: child.process.stdout }).on('line', (line) => {
      if (line.endsWith('}')) acknowledged.push(JSON.parse(line) as Acknowledged)
    })
  }
  return { child, acknowledged }
}

async function judge(place: StorePlace, told: readonly Acknowledged[]): Promise<string[]> {
  const problems: string[] = []
  const store = await openStore({ backend: makeBackend(place) })
  try {
    for (const session of SESSIONS) {
      const contents = new Map<number, unknown>()
      const seen = new Set<unknown>()
      for await (const event of store.events(session)) {
        const { content } = (event as { message?: { content?: unknown } }).message ?? {}
        if (seen.has(content)) problems.push(`${String(content)} is there twice`)
        seen.add(content)
        contents.set(event.seq, content)
      }
      for (const { version, content } of told.filter((one) => one.session === session)) {
        if (contents.get(version) !== content)
          problems.push(`${content} was acknowledged at ${version} and is not there`)
      }
    }
    for (const { message } of (await store.verify()).problems) problems.push(message)
  } finally {
    await store.close()
  }
  return problems
}
