import { readFileSync } from 'node:fs'

import { leveldbBackend, openStore } from 'turnlog'

import { grownKey } from './grown-store.ts'
import type { GrownStore, GrowthRequest } from './grown-store.ts'
import { MessageGenerator } from './message-generator.ts'

const WIDTH = 64
const TURN = 5
/** Read at the end: more than fit into the view cache, so that memory is measured with the cache at its bound. */
const PROBES = 4000

process.once('message', (request: GrowthRequest) => {
  void grow(request).then((grown) => process.send?.(grown, () => process.kill(process.pid, 'SIGKILL')))
})

/** Sessions grow side by side, a turn at a time, and are read now and then. */
async function grow({ directory, first, sessions, sessionEvents, seed }: GrowthRequest): Promise<GrownStore> {
  const pool = new MessageGenerator(seed).take(5000)
  const sizes = pool.map((message) => Buffer.byteLength(JSON.stringify(message)))
  const store = await openStore({ backend: leveldbBackend({ path: directory, durability: 'os' }) })
  const before = anonymousMiB()
  let jsonBytes = 0
  let next = 0
  const begin = performance.now()
  for (let written = 0; written < sessionEvents; written += TURN) {
    let session = 0
    const worker = async (): Promise<void> => {
      while (session < sessions) {
        const key = grownKey(first + session++)
        const from = next++ % (pool.length - TURN)
        for (let index = from; index < from + TURN; index++) jsonBytes += sizes[index] as number
        await store.addMessages(key, pool.slice(from, from + TURN))
      }
    }
    await Promise.all(Array.from({ length: WIDTH }, worker))
  }
  const fillUsPerEvent = ((performance.now() - begin) * 1000) / (sessions * sessionEvents)
  for (let probe = 0; probe < Math.min(PROBES, sessions); probe++) {
    const history = await store.getHistory(grownKey(first + ((probe * 7919) % sessions)))
    if (history.length !== sessionEvents) throw new Error('A session is incomplete.')
  }
  const after = anonymousMiB()
  const isKnown = before !== undefined && after !== undefined
  return { jsonBytes, fillUsPerEvent, ...(isKnown ? { anonymousMiB: after - before } : undefined) }
}

function anonymousMiB(): number | undefined {
  try {
    const kib = /RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return kib === undefined ? undefined : Number(kib) / 1024
  } catch {
    return undefined // another system
  }
}
