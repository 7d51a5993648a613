import { writeSync } from 'node:fs'

import { openStore } from '@turnlog/core'

import { endWithParent } from './end-with-parent.ts'
import { makeBackend } from './make-backend.ts'
import type { StorePlace } from './make-backend.ts'

/** What a process is told that writes to a store together with others. */
export interface SharerTask extends StorePlace {
  /** Its own, and part of each message. */
  readonly tag: string
  readonly sessions: readonly string[]
}

const task = JSON.parse(process.argv[2] ?? '') as SharerTask
endWithParent()
const store = await openStore({ backend: makeBackend(task) })
writeSync(1, 'open\n')

/** Says which message was acknowledged at which version of which session, until it is killed. */
await Promise.all(
  task.sessions.map(async (session) => {
    for (let n = 1; ; n++) {
      const content = `${task.tag} ${session} ${n}`
      const { version } = await store.addMessage(session, 'user', content)
      writeSync(1, `${JSON.stringify({ session, version, content })}\n`)
    }
  }),
)
