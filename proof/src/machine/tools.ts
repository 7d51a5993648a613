import { spawnSync } from 'node:child_process'

const known = new Map<string, boolean>()

/** Whether a command runs here at all. Asked once. */
export function hasTool(command: string, ...probe: readonly string[]): boolean {
  const line = [command, ...probe].join(' ')
  let found = known.get(line)
  if (found === undefined) {
    found = spawnSync(command, probe, { stdio: 'ignore' }).status === 0
    known.set(line, found)
  }
  return found
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Runs a command to its end. @throws with what it said, if it failed */
export function runTool(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.trim()}`)
  return stdout
}
