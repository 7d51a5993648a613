import { writeSync } from 'node:fs'

import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'

import type { ProofMessage } from '../model/message-of.ts'
import { Random } from '../random.ts'
import { endWithParent } from './end-with-parent.ts'
import { Journal } from './journal.ts'
import { errorOf, LaneWriter } from './lane-writer.ts'
import { makeBackend } from './make-backend.ts'
import type { WriterTask } from './writer-task.ts'

// A process that opens a store, says what it finds, and writes until it is killed or has done its share.
const task = JSON.parse(process.argv[2] ?? '') as WriterTask
const journal = new Journal(task.journal)
endWithParent()
const store = await open()
if (store !== undefined) await write(store)

async function open(): Promise<SessionStore<ProofMessage> | undefined> {
  const findings: string[] = []
  try {
    const opened = await openStore<ProofMessage>({
      backend: makeBackend(task),
      viewCacheBytes: 256 * 1024,
      onWarning: ({ code }) => findings.push(code),
    })
    journal.write({ t: 'opened', findings })
    return opened
  } catch (error) {
    journal.write({ t: 'refused', ...errorOf(error) })
    return undefined
  }
}

async function write(store: SessionStore<ProofMessage>): Promise<void> {
  const random = new Random(task.seed)
  const lanes = Array.from(
    { length: task.lanes },
    (_, index) => new LaneWriter(`lane${index}`, store, journal, new Random(random.seed()), task.tag),
  )
  for (const lane of lanes) await lane.look()
  const keys: string[] = []
  try {
    for await (const { key } of store.listSessions()) keys.push(key)
    journal.write({ t: 'listed', keys })
    if (task.verify) {
      const { problems } = await store.verify()
      journal.write({ t: 'verified', problems: problems.map(({ message }) => message) })
    }
  } catch (error) {
    journal.write({ t: 'blind', key: '(all)', ...errorOf(error) })
  }
  journal.write({ t: 'ready' })
  writeSync(1, 'R')
  await Promise.all(
    lanes.map(async (lane) => {
      for (let done = 0; done < (task.operations ?? Infinity); done++) await lane.step()
      for (let done = 0; done < (task.thenAppend ?? 0); done++) await lane.append()
      await lane.look()
    }),
  )
  try {
    await store.close()
    journal.write({ t: 'closed' })
  } catch (error) {
    journal.write({ t: 'unclosed', ...errorOf(error) })
  }
}
