#!/usr/bin/env node
import { INTERRUPTIONS, OUTPUT_FAILED, PIPE_CLOSED } from './context/interruption.ts'
import { registerDefaultBackends } from './backends/register-default-backends.ts'
import { run } from './run.ts'

registerDefaultBackends()

const interrupted = new AbortController()

// The first time a command ends in order and leaves nothing behind; the second one is for a command that cannot.
for (const [name, interruption] of Object.entries(INTERRUPTIONS)) {
  process.on(name, () => {
    if (interrupted.signal.aborted) process.exit(interruption.exitCode)
    interrupted.abort(interruption)
  })
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (interrupted.signal.aborted) return
    const isClosed = error.code === 'EPIPE'
    if (!isClosed && stream === process.stdout)
      process.stderr.write(`error Cannot write the output: ${error.message}\n`)
    interrupted.abort(isClosed ? PIPE_CLOSED : OUTPUT_FAILED)
  })
}

const exitCode = await run(
  process.argv.slice(2),
  { input: process.stdin, output: process.stdout, errors: process.stderr, environment: process.env },
  interrupted.signal,
)

// What is under way still does not keep the process when it was interrupted.
if (interrupted.signal.aborted) process.exit(exitCode)
process.exitCode = exitCode
