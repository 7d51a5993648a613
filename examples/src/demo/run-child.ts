import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ChildEnd {
  /** The numbers that were acknowledged before the end. */
  readonly acknowledged: readonly number[]
  readonly lines: readonly string[]
  readonly signal: NodeJS.Signals | null
}

/**
 * Runs a part of the demo as a process of its own. It is killed, without any warning, in the middle of the first
 * write that `killAt` recognises.
 */
export function runChild(name: string, args: readonly string[], killAt?: (line: string) => boolean): Promise<ChildEnd> {
  const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  let looked = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const lines = text.split('\n')
    for (; looked < lines.length - 1; looked++) if (killAt?.(lines[looked] ?? '') === true) child.kill('SIGKILL')
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (signal !== 'SIGKILL' && code !== 0) return reject(new Error(`${name} ended with ${code ?? signal}.`))
      const lines = text.split('\n').slice(0, -1)
      const acknowledged = lines.filter((line) => line.startsWith('ack ')).map((line) => Number(line.slice(4)))
      resolve({ acknowledged, lines, signal })
    })
  })
}
