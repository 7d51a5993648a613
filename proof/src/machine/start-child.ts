import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The children that a campaign can start, by the file of their main module. */
export type ChildName = 'writer' | 'damage' | 'owner' | 'fuzz' | 'history' | 'control'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly errorText: string
}

export interface Child {
  readonly process: ChildProcess
  /** Resolves when it first writes to its standard output, or has ended. */
  readonly ready: Promise<void>
  readonly ended: Promise<Ended>
}

export interface StartOptions {
  /** A command that runs the rest of its arguments, such as strace. */
  readonly through?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** With a channel for messages. */
  readonly channel?: boolean
}

export function childPath(name: ChildName): string {
  return fileURLToPath(new URL(`../child/${name}-main.js`, import.meta.url))
}

/** Starts a child with its task as JSON. Whoever starts it waits for `ended`. */
export function startChild(name: ChildName, task: unknown, options: StartOptions = {}): Child {
  const { through = [], environment = {}, channel = false } = options
  const [command, ...rest] = [...through, process.execPath, childPath(name), JSON.stringify(task)]
  const started = spawn(command, rest, {
    stdio: ['pipe', 'pipe', 'pipe', ...(channel ? (['ipc'] as const) : [])],
    env: { ...process.env, ...environment },
  })
  const errors: Buffer[] = []
  started.stderr?.on('data', (chunk: Buffer) => {
    if (errors.length < 100) errors.push(chunk)
  })
  started.stdin?.on('error', () => undefined) // the child may be gone before it has read anything
  const ended = once(started, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    errorText: Buffer.concat(errors).toString('utf8').slice(0, 4_000),
  }))
  const spoke = started.stdout === null ? ended : Promise.race([once(started.stdout, 'data'), ended])
  return { process: started, ready: spoke.then(() => undefined), ended }
}
