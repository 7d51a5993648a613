import { Readable, Writable } from 'node:stream'
import { registerDefaultBackends } from '../src/backends/register-default-backends.ts'
import { run } from '../src/run.ts'
import type { Finished } from './run-command.ts'

/** A command line in this process, for tests of many lines: starting a process takes longer than most commands. */
export async function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  registerDefaultBackends()
  const stdout: string[] = []
  const stderr: string[] = []
  const code = await run(
    args,
    { input: Readable.from([]), output: collector(stdout), errors: collector(stderr), environment },
    new AbortController().signal,
  )
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

function collector(texts: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      texts.push(text)
      done()
    },
  })
}
