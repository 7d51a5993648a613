import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

// Some tests start two dozen processes, which takes long on a machine that has other things to do.
vi.setConfig({ testTimeout: 300_000 })

/** The command as it is shipped; `tsc --build` makes it. */
const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

export interface Running {
  readonly finished: Promise<Finished>
  readonly child: ReturnType<typeof spawn>
  /** Resolves as soon as the output matches. */
  until(pattern: RegExp): Promise<void>
}

export function startCommand(args: readonly string[], options: RunOptions = {}): Running {
  return start(process.execPath, [BIN, ...args], options)
}

export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return startCommand(args, options).finished
}

/** Why interactive commands cannot be tried here; `undefined` if they can. */
export const noTerminal: string | undefined = spawnSync('script', ['--version'], {
  encoding: 'utf8',
})?.stdout?.includes('util-linux')
  ? undefined
  : 'needs `script` of util-linux to make a pseudo-terminal'

/** In a pseudo-terminal: what is typed is in `input`, what a person would see comes back in `stdout`. */
export function startInTerminal(args: readonly string[], options: RunOptions = {}): Running {
  const line = [process.execPath, BIN, ...args].map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(' ')
  // A shell that stays in between would get Ctrl-C as well, and its exit code would hide the command's.
  return start('script', ['-qfec', `exec ${line}`, '/dev/null'], { ...options, input: options.input ?? '' })
}

function start(program: string, args: readonly string[], { cwd, env, input }: RunOptions): Running {
  const { TURNLOG_STORE: _store, NO_COLOR: _color, FORCE_COLOR: _force, ...inherited } = process.env
  const child = spawn(program, args, { cwd, env: { ...inherited, TZ: 'UTC', TERM: 'xterm', ...env } })
  let stdout = ''
  let stderr = ''
  const heard = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const listener of heard) listener()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    for (const listener of heard) listener()
  })
  if (input === undefined) child.stdin.end()
  else if (program === 'script') child.stdin.write(input)
  else child.stdin.end(input)
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      child.stdin.destroy()
      resolve({ code, stdout, stderr })
    })
  })
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(stdout) && !pattern.test(stderr)) return
        heard.delete(look)
        resolve()
      }
      heard.add(look)
      void finished.then(() => reject(new Error(`It ended without ${pattern}: ${stdout}${stderr}`)))
      look()
    })
  return { child, finished, until }
}
