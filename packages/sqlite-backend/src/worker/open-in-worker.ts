import type { OpenReport } from '@turnlog/core/backend'

import type { Engine } from './engine-calls.ts'
import type { WorkerOptions } from './messages.ts'
import { WorkerThread } from './worker-thread.ts'

const METHODS: Readonly<Record<keyof Engine, true>> = {
  append: true,
  head: true,
  read: true,
  readNext: true,
  endRead: true,
  list: true,
  erase: true,
  watch: true,
  unwatch: true,
  verifyPages: true,
  verifySession: true,
  findOrphans: true,
  reclaim: true,
  sizes: true,
  close: true,
}

/** The thread of a store that was closed, for the next one: to start one takes 50 ms, and its code is slow at first. */
let spare: WorkerThread | undefined

/** Opens the store in a thread of its own. */
export async function openInWorker(
  options: WorkerOptions,
  onChange: (session: string) => void,
): Promise<{ readonly engine: Engine; readonly report: OpenReport }> {
  const thread = spare ?? new WorkerThread()
  spare = undefined
  thread.onChange = onChange
  const giveBack = (): void => {
    thread.onChange = () => undefined
    if (spare === undefined) spare = thread
    else thread.end()
  }
  try {
    const report = await thread.call('open', options)
    const methods = Object.keys(METHODS) as (keyof Engine)[]
    const engine = Object.fromEntries(methods.map((method) => [method, thread.call.bind(thread, method)]))
    const close = async (): Promise<void> => {
      try {
        await thread.call('close')
      } catch (error) {
        thread.end()
        throw error
      }
      giveBack()
    }
    return { engine: { ...(engine as unknown as Engine), close }, report }
  } catch (error) {
    giveBack()
    throw error
  }
}
