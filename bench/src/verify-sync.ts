import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { syncContestants } from './contestants/index.ts'
import { countSyncs, TRACED_CALLS } from './count-syncs.ts'

export interface SyncCount {
  readonly contestant: string
  readonly label: string
  readonly appends: number
  readonly syncs: number
  readonly isKept: boolean
}

/** Without it every call of every kind stops the process, and counting takes three times as long. */
const ONLY_TRACED = '--seccomp-bpf'

const PROCESS = fileURLToPath(new URL('./sync-process.js', import.meta.url))

export function hasStrace(): boolean {
  return runs(['-V'])
}

function runs(options: readonly string[]): boolean {
  try {
    execFileSync('strace', options, { stdio: 'ignore' })
    return true
  } catch {
    return false // not installed, not for this system, or older than the option
  }
}

/**
 * Counts what reaches the disk while one caller adds messages one after another. Whoever syncs less than once for each
 * does not keep the promise that its row stands under.
 */
export function verifySync(appends: number): SyncCount[] {
  const counts: SyncCount[] = []
  const flags = runs([ONLY_TRACED, '-f', '-e', 'trace=fdatasync', 'true']) ? [ONLY_TRACED, '-f'] : ['-f']
  for (const { id, label } of syncContestants) {
    const directory = mkdtempSync(join(tmpdir(), 'turnlog-sync-'))
    const trace = join(directory, 'trace')
    try {
      const child = [process.execPath, PROCESS, id, join(directory, 'store'), String(appends)]
      execFileSync('strace', [...flags, '-o', trace, '-e', `trace=${TRACED_CALLS}`, ...child], { stdio: 'ignore' })
      const syncs = countSyncs(readFileSync(trace, 'utf8'))
      counts.push({ contestant: id, label, appends, syncs, isKept: syncs >= appends })
    } catch {
      continue // it does not open here; the scenarios say why
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  return counts
}
