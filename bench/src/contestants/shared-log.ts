import { closeSync, constants, openSync, write } from 'node:fs'
import { join } from 'node:path'

import type { Message } from 'turnlog'

import type { Contestant } from './contestant.ts'
import { readLineFile } from './line-file.ts'

interface Waiting {
  readonly bytes: Buffer
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** One log for all sessions; what waits is written together. The limit of group commit: no index, no checks. */
export const sharedLog: Contestant = {
  id: 'shared-log',
  label: 'bare shared log, group commit',
  durability: 'sync',
  note: 'no index: cannot find a session again without reading everything',
  open: async (directory) => {
    const path = join(directory, 'log.jsonl')
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_DSYNC)
    let waiting: Waiting[] = []
    let isWriting = false
    let found: Map<string, Message[]> | undefined
    const flush = (): void => {
      const group = waiting
      if (group.length === 0) {
        isWriting = false
        return
      }
      waiting = []
      const bytes = Buffer.concat(group.map((entry) => entry.bytes))
      write(file, bytes, 0, bytes.length, null, (error) => {
        for (const entry of group) {
          if (error === null) entry.resolve()
          else entry.reject(error)
        }
        // Those who were just answered ask again in the microtasks that follow.
        setImmediate(flush)
      })
    }
    return {
      append: (session, message) =>
        new Promise((resolve, reject) => {
          found = undefined
          waiting.push({ bytes: Buffer.from(`${JSON.stringify({ session, message })}\n`), resolve, reject })
          if (isWriting) return
          isWriting = true
          queueMicrotask(flush)
        }),
      read: async (session) => (found ??= bySession(path)).get(session) ?? [],
      close: async () => closeSync(file),
    }
  },
}

/** Reading everything for each session would take most of the time of a run. */
function bySession(path: string): Map<string, Message[]> {
  const found = new Map<string, Message[]>()
  for (const { session, message } of readLineFile<{ session: string; message: Message }>(path)) {
    const messages = found.get(session)
    if (messages === undefined) found.set(session, [message])
    else messages.push(message)
  }
  return found
}
