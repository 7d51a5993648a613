import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { SQLITE_DRIVER } from '../child/sqlite-at.ts'
import { bundleChildren } from './bundle-children.ts'

/** The children that a campaign can start, by the file of their main module. */
export type ChildName = 'writer' | 'damage' | 'owner' | 'history' | 'reader' | 'sharer'

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
  /** With a pipe for a journal that is written to this file here. Not together with a channel. */
  readonly journalTo?: string
}

/** Those that are started often, or by tools that slow down whatever loads many files. */
const BUNDLED: readonly ChildName[] = ['writer', 'owner', 'history', 'reader', 'sharer']
const DRIVER = fileURLToPath(
  new URL('../../../packages/sqlite-backend/test/driver/node_modules/better-sqlite3', import.meta.url),
)
const NEEDS_DRIVER = process.getBuiltinModule?.('node:sqlite') === undefined
if (NEEDS_DRIVER) process.env[SQLITE_DRIVER] = DRIVER // children get it from here

/** Whether children find a SQLite: in their Node, or where `npm test` installs one. */
export const HAS_SQLITE: boolean = !NEEDS_DRIVER || existsSync(DRIVER)

let bundles: string | undefined

/** To be called before any child is started: where they start from. */
export async function prepareChildren(): Promise<void> {
  bundles ??= await bundleChildren(BUNDLED.map(sourceOf))
}

function sourceOf(name: ChildName): string {
  return fileURLToPath(new URL(`../child/${name}-main.js`, import.meta.url))
}

function childPath(name: ChildName): string {
  return bundles !== undefined && BUNDLED.includes(name) ? join(bundles, `${name}-main.mjs`) : sourceOf(name)
}

/** Starts a child with its task as JSON. Whoever starts it waits for `ended`. */
export function startChild(name: ChildName, task: unknown, options: StartOptions = {}): Child {
  const { through = [], environment = {}, channel = false, journalTo } = options
  const [command, ...rest] = [...through, process.execPath, childPath(name), JSON.stringify(task)]
  const started = spawn(command, rest, {
    stdio: [
      'pipe',
      'pipe',
      'pipe',
      ...(channel ? (['ipc'] as const) : journalTo === undefined ? [] : ['pipe' as const]),
    ],
    env: { ...process.env, ...environment },
  })
  if (journalTo !== undefined) {
    started.stdio[3]?.on('data', (chunk: Buffer) => appendFileSync(journalTo, chunk))
  }
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
