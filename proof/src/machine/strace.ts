import { readFileSync, rmSync } from 'node:fs'
import { sep } from 'node:path'

import type { WriterTask } from '../child/writer-task.ts'
import type { Ended } from './start-child.ts'
import { startChild } from './start-child.ts'

/** The calls by which a store changes its files. The journal uses `writev`, so that it is never hit. */
const CALLS = ['write', 'pwrite64', 'fdatasync', 'fsync', 'rename', 'link', 'unlink', 'ftruncate', 'openat'] as const
export type SystemCall = (typeof CALLS)[number]

/** One call of a scripted run. */
export interface CallPoint {
  readonly call: SystemCall
  /** Relative to the store; empty for its directory. */
  readonly file: string
  /** Which call of its kind on this file, from 1. */
  readonly n: number
  /** Which call of its kind on any file, in its thread, from 1: for files whose names are another each time. */
  readonly ordinal: number
  readonly isRandomName: boolean
}

export interface Injection {
  readonly call: SystemCall
  /** Only calls on these files count and are hit; all of them if there are none. */
  readonly files: readonly string[]
  /** In strace's own words: `signal=KILL`, `error=EIO`. */
  readonly fault: string
  /** Which of the calls, counted from 1: `7`, or `7..22`. */
  readonly when: string
  /** Where the calls are noted, so that {@link wasHit} can be asked. @default nowhere */
  readonly traceFile?: string
}

/** One thread for file work: strace counts calls by thread. */
const ENVIRONMENT = { UV_THREADPOOL_SIZE: '1' }

export function runInjected(task: WriterTask, injection: Injection): Promise<Ended> {
  const { call, files, fault, when, traceFile = '/dev/null' } = injection
  const paths = files.flatMap((file) => ['-P', file])
  const inject = [`-e`, `trace=${call}`, '-e', `inject=${call}:${fault}:when=${when}`]
  // Stopping at the traced calls only is three times as fast; but signals are then not sent (strace 6.1).
  const filter = fault.startsWith('error=') ? ['--seccomp-bpf'] : []
  const through = ['strace', '-f', ...filter, '-qq', '-y', ...paths, ...inject, '-o', traceFile]
  return startChild('writer', [task], { through, environment: ENVIRONMENT }).ended
}

/**
 * Whether the call that failed was one on the store. Where all calls of a process are counted it may be another one,
 * such as when Node loaded a module more or less than the time before.
 */
export function wasHit(path: string, traceFile: string): boolean {
  const lines = readFileSync(traceFile, 'latin1').split('\n')
  const isOfStore = (line: string): boolean => line.includes(`"${path}`) || line.includes(`<${path}`)
  return lines.some((line) => line.includes('(INJECTED)') && isOfStore(line))
}

/** Which calls a scripted run makes on the files of its store, so that each can be hit in turn. */
export async function listCalls(task: WriterTask, traceFile: string): Promise<readonly CallPoint[]> {
  const through = ['strace', '-f', '--seccomp-bpf', '-qq', '-y', '-e', `trace=${CALLS.join(',')}`, '-o', traceFile]
  const { code, errorText } = await startChild('writer', [task], { through, environment: ENVIRONMENT }).ended
  if (code !== 0) throw new Error(`The scripted run failed: ${errorText}`)
  const counts = new Map<string, number>()
  const count = (what: string): number => {
    const next = (counts.get(what) ?? 0) + 1
    counts.set(what, next)
    return next
  }
  const points: CallPoint[] = []
  for (const line of readFileSync(traceFile, 'latin1').split('\n')) {
    const match = /^(\d+)\s+(\w+)\((?:AT_FDCWD[^"]*"|\d+<|")([^">]*)/.exec(line)
    if (match === null) continue
    const [, thread = '', call = '', path = ''] = match
    const ordinal = count(`${thread} ${call}`)
    if (path !== task.path && !path.startsWith(task.path + sep)) continue
    const file = path.slice(task.path.length)
    const n = count(`${call} ${file}`)
    const isWriting = call !== 'openat' || /O_CREAT|O_WRONLY|O_RDWR/.test(line)
    // LOG is LevelDB's own diary: nothing depends on it.
    if (!isWriting || line.includes('= -1 ') || /\/LOG(?:\.old)?$/.test(file)) continue
    points.push({ call: call as SystemCall, file, n, ordinal, isRandomName: /[0-9a-f]{12}/.test(file) })
  }
  rmSync(traceFile)
  return points
}
