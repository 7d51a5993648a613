import { Random } from '@turnlog/conformance/random'
import { openStore } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'

import type { ProofMessage } from '../model/message-of.ts'
import { Journal } from './journal.ts'
import { errorOf, LaneWriter } from './lane-writer.ts'
import { makeBackend } from './make-backend.ts'
import type { WriterTask } from './writer-task.ts'

/** Opens a store, says what it finds, and writes until the process is killed or the task is done. */
export async function runWriter(task: WriterTask, onReady: () => void): Promise<void> {
  const journal = new Journal(task.journal)
  try {
    const store = await open(task, journal)
    if (store === undefined) onReady()
    else await write(task, store, journal, onReady)
  } finally {
    journal.close()
  }
}

async function open(task: WriterTask, journal: Journal): Promise<SessionStore<ProofMessage> | undefined> {
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

async function write(
  task: WriterTask,
  store: SessionStore<ProofMessage>,
  journal: Journal,
  onReady: () => void,
): Promise<void> {
  const { retries = [], operations = Infinity, thenAppend = 0 } = task
  const random = new Random(task.seed)
  const lanes = Array.from(
    { length: task.lanes },
    (_, index) => new LaneWriter(`lane${index}`, store, journal, new Random(random.seed()), task.tag),
  )
  // Who repeats a call has sometimes looked before, and sometimes not. Every view is read in every life; whole logs,
  // which cost more, of all lanes where everything is verified, and of every other lane otherwise.
  const look = async (): Promise<void> => {
    for (const [index, lane] of lanes.entries()) await lane.look(task.verify || (index + task.seed) % 2 === 0)
  }
  if (retries.length === 0 || task.seed % 2 === 0) await look()
  if (retries.length > 0) {
    for (const lane of lanes) await lane.retry(retries)
    await look()
  }
  await survey(task, store, journal)
  journal.write({ t: 'ready' })
  onReady()
  await Promise.all(
    lanes.map(async (lane) => {
      for (let done = 0; done < operations && !lane.isLost; done++) {
        await (task.calm === true ? lane.calmStep() : lane.step())
      }
      for (let done = 0; done < thenAppend && !lane.isLost; done++) await lane.append()
      await lane.look(true)
    }),
  )
  try {
    await store.close()
    journal.write({ t: 'closed' })
  } catch (error) {
    journal.write({ t: 'unclosed', ...errorOf(error) })
  }
}

async function survey({ verify }: WriterTask, store: SessionStore<ProofMessage>, journal: Journal): Promise<void> {
  const keys: string[] = []
  try {
    for await (const { key } of store.listSessions()) keys.push(key)
    journal.write({ t: 'listed', keys })
    if (!verify) return
    const { problems } = await store.verify()
    journal.write({ t: 'verified', problems: problems.map(({ message }) => message) })
  } catch (error) {
    journal.write({ t: 'blind', key: '(all)', ...errorOf(error) })
  }
}
