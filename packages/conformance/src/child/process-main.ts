import { writeSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'

import type { Backend } from '@turnlog/core/backend'

import { listAll, readAll } from '../probe/collect.ts'
import { appendAndErase } from './append-and-erase.ts'
import { appendBulk } from './append-bulk.ts'
import { churn } from './churn.ts'
import { compete } from './compete.ts'
import { loadTarget } from './load-target.ts'
import type { Request, Response } from './message.ts'
import { sendable } from './sent-error.ts'
import { takeTurns } from './take-turns.ts'
import { watch } from './watch.ts'
import { writeWithoutEnd } from './write-without-end.ts'

// A backend in a process of its own: requests come as lines of JSON, answers go out as lines of JSON.
// They are written with writeSync, so that an acknowledgement is out before the next instruction runs.
const [, , module = '', directory = ''] = process.argv
await mkdir(directory, { recursive: true })
const target = await loadTarget(module)
const { backend } = await target.create({ directory, seed: 1 })

let isResting = false

function send(response: Response): void {
  writeSync(1, `${JSON.stringify(response)}\n`)
}

function perform(on: Backend, request: Request): Promise<unknown> {
  switch (request.method) {
    case 'open':
      return on.open(request.options)
    case 'close':
      return on.close()
    case 'list':
      return listAll(on)
    case 'head':
      return on.head(request.session)
    case 'read':
      return readAll(on, request.session)
    case 'erase':
      return on.erase(request.session, request.expectedLast)
    case 'append':
      return on.append(request.session, request.expected, request.events, request.projection, request.options)
    case 'bulk':
      return appendBulk(on, request.session, request.from, request.count)
    case 'churn':
      return churn(on, request.session, request.turns, request.seed)
    case 'watch':
      return watch(on, request.sessions, () => isResting)
    case 'rest':
      isResting = true
      return Promise.resolve()
    case 'compete':
      return compete(on, request.session, request.writer, request.count)
    case 'deeds':
      return appendAndErase(on, request.session, request.writer, request.count)
    case 'turns':
      return takeTurns(on, request.session, request.writer, request.count)
    default: // write
      return writeWithoutEnd(on, request.sessions, request.seed, (done) => send({ kind: 'acknowledged', ...done }))
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, request } = JSON.parse(line) as { id: number; request: Request }
  perform(backend, request).then(
    (value) => send({ kind: 'answer', id, value }),
    (error: unknown) => send({ kind: 'answer', id, failure: sendable(error) }),
  )
})
// The parent is gone or has let go: nobody is left to answer to.
process.stdin.on('end', () => process.exit(0))
send({ kind: 'ready' })
