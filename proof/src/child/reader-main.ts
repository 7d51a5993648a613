import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'

import { idOf } from '../model/message-of.ts'
import type { ProofMessage } from '../model/message-of.ts'
import type { JournalRecord } from '../model/record.ts'
import { endWithParent } from './end-with-parent.ts'
import { Journal } from './journal.ts'
import { errorOf } from './lane-writer.ts'
import { makeBackend } from './make-backend.ts'
import type { StorePlace } from './make-backend.ts'

// A process that only looks, beside one that writes, dies and is started again.
export interface ReaderTask extends StorePlace {
  readonly journal: string
  /** Where the writers say what was acknowledged. Grows, and is never begun anew. */
  readonly writerJournal: string
  readonly keys: readonly string[]
}

/** So many reads by one opening; then it opens anew, as a command that is run now and then does. */
const READS = 40

const task = JSON.parse(process.argv[2] ?? '') as ReaderTask
const journal = new Journal(task.journal)
endWithParent()
const acknowledged = new Map<string, number>()
let heard = 0
for (;;) {
  try {
    const store = await openStore<ProofMessage>({
      backend: makeBackend(task),
      readOnly: true,
      onWarning: () => undefined,
    })
    for (let read = 0; read < READS; read++) {
      await look(store, task.keys[read % task.keys.length] ?? '')
      await delay(2)
    }
    await store.close()
  } catch (error) {
    journal.write({ t: 'refused', ...errorOf(error) })
    await delay(20)
  }
}

async function look(store: SessionStore<ProofMessage>, key: string): Promise<void> {
  listen()
  const least = acknowledged.get(key) ?? 0
  try {
    const { version, summary, messages } = await store.load(key)
    const last = await lastOf(store, key, version)
    journal.write({ t: 'saw', key, least, sight: { version, summary, counter: last, ids: messages.map(idOf) } })
  } catch (error) {
    journal.write({ t: 'blind', key, ...errorOf(error) })
  }
}

/** The log by itself: whether it is without a gap, and that it ends no earlier than the view did. */
async function lastOf(store: SessionStore<ProofMessage>, key: string, version: number): Promise<number> {
  let last = 0
  for await (const { seq } of store.events(key, { from: Math.max(1, version - 3) })) {
    if (last !== 0 && seq !== last + 1) return -1
    last = seq
  }
  return last
}

/** What was acknowledged before this moment: the least that a read which begins now has to see. */
function listen(): void {
  if (!existsSync(task.writerJournal)) return
  const text = readFileSync(task.writerJournal)
  const end = text.lastIndexOf(0x0a) + 1
  for (const line of text.subarray(heard, end).toString('utf8').split('\n').slice(0, -1)) {
    const record = JSON.parse(line) as JournalRecord
    if (record.t === 'done' && record.version !== undefined) acknowledged.set(record.key, record.version)
  }
  heard = end
}
