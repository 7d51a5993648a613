#!/usr/bin/env node
import { EXIT } from './exit-code.ts'
import { registerDefaultBackends } from './register-default-backends.ts'
import { run } from './run.ts'

registerDefaultBackends()

const interrupted = new AbortController()

// The first Ctrl-C lets a command end in order; the second one is for a command that cannot.
process.once('SIGINT', () => {
  interrupted.abort()
  process.once('SIGINT', () => process.exit(EXIT.interrupted))
})

// `turnlog list | head` is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok)
  throw error
})

process.exitCode = await run(
  process.argv.slice(2),
  { input: process.stdin, output: process.stdout, errors: process.stderr, environment: process.env },
  interrupted.signal,
)
