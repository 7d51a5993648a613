import { appendFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'

import { Random } from '@turnlog/conformance/random'
import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'

import { idOf, messageOf } from '../model/message-of.ts'
import type { ProofMessage } from '../model/message-of.ts'
import { endWithParent } from './end-with-parent.ts'
import { makeBackend } from './make-backend.ts'
import type { StorePlace } from './make-backend.ts'

// Many writers and readers of a few sessions in one process; every call with when it began and when it was answered.
interface HistoryTask extends StorePlace {
  readonly seed: number
  readonly sessions: number
  readonly clients: number
  readonly calls: number
  readonly output: string
}

export interface HistoryCall {
  readonly key: string
  readonly kind: 'write' | 'read'
  /** Ticks of one clock for all clients. */
  readonly began: number
  readonly ended: number
  readonly version: number
  /** Written ids, or the ids of the view that was read. */
  readonly ids: readonly string[]
}

export interface History {
  readonly calls: readonly HistoryCall[]
  /** Seq and id of every message of each log, at the end. */
  readonly logs: Readonly<Record<string, readonly (readonly [number, string])[]>>
}

const task = JSON.parse(process.argv[2] ?? '') as HistoryTask
endWithParent()
const store = await openStore<ProofMessage>({ backend: makeBackend(task), viewCacheBytes: 64 * 1024 })
const calls: HistoryCall[] = []
let clock = 0
const random = new Random(task.seed)
await Promise.all(Array.from({ length: task.clients }, (_, client) => run(store, client, new Random(random.seed()))))
const logs: Record<string, (readonly [number, string])[]> = {}
for (let session = 0; session < task.sessions; session++) {
  const log: (readonly [number, string])[] = []
  for await (const event of store.events(`s${session}`)) {
    log.push([event.seq, event.type === 'MessageAdded' ? idOf((event as { message?: unknown }).message) : ''])
  }
  logs[`s${session}`] = log
}
await store.close()
appendFileSync(task.output, JSON.stringify({ calls, logs } satisfies History))
process.exit(0)

async function run(store: SessionStore<ProofMessage>, client: number, random: Random): Promise<void> {
  for (let n = 0; n < task.calls; n++) {
    const key = `s${random.below(task.sessions)}`
    const began = clock++
    if (random.chance(0.5)) {
      const ids = Array.from({ length: random.integer(1, 3) }, (_, index) => `s${client}.${n}.${index}`)
      const { version } = await store.addMessages(key, ids.map(messageOf))
      calls.push({ key, kind: 'write', began, ended: clock++, version, ids })
    } else {
      const { version, messages } = await store.load(key)
      calls.push({ key, kind: 'read', began, ended: clock++, version, ids: messages.map(idOf) })
    }
    if (random.chance(0.3)) await turn()
  }
}
