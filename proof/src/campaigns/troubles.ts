import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Random } from '@turnlog/conformance/random'

import type { Child } from '../machine/start-child.ts'
import { hasTool, isRoot, runTool } from '../machine/tools.ts'

/** Who may not open a file cannot read one that is not open. */
export const NO_MORE_FILES: RegExp = /cannot be read: IO: .*(?:\bEMFILE\b|Too many open files)/

/** Something real that is wrong with a disk, or with what a process may use of it, for a while. */
export interface Trouble {
  readonly unit: string
  readonly promise: string
  /** How often, by default: in short runs, in long ones. */
  readonly counts: readonly [number, number]
  /** Why it cannot be had here, if so. */
  whyNot(): string | undefined
  /** Before the writer starts. @returns where its store goes */
  prepare(directory: string, random: Random): string
  /** When the writer has opened its store. */
  begin(child: Child, random: Random): void
  end(child: Child, directory: string): void
  cleanUp(directory: string): void
  /** Reads that may be refused meanwhile, with a typed error that says why. @default none: reads go on */
  readonly excuses?: RegExp
}

const nothing = (): void => undefined
const storeIn = (directory: string): string => join(directory, 'store')
const whyNoLimits = (): string | undefined => (hasTool('prlimit', '--version') ? undefined : 'prlimit is not installed')

/**
 * Short writes are had from real limits only. strace can make `write` return less than was asked, but then nothing at
 * all is written: the kernel is made to lie, and no program can be right.
 */
export const TROUBLES: readonly Trouble[] = [
  {
    unit: 'full disks',
    promise: 'A full disk (ENOSPC, short writes) costs nothing acknowledged, and the store goes on when there is room',
    counts: [4, 60],
    whyNot: () => (isRoot() ? undefined : 'mounting needs root'),
    prepare: (directory, random) => {
      mkdirSync(directory, { recursive: true })
      runTool('mount', '-t', 'tmpfs', '-o', `size=${random.integer(300, 1200)}k`, 'tmpfs', directory)
      writeFileSync(join(directory, 'ballast'), Buffer.alloc(random.integer(20, 100) * 1024))
      return storeIn(directory)
    },
    begin: nothing,
    end: (_, directory) => {
      runTool('mount', '-o', 'remount,size=64m', directory)
      rmSync(join(directory, 'ballast'))
    },
    cleanUp: (directory) => void runTool('umount', directory),
  },
  {
    unit: 'file size limits',
    promise: 'A limit on file sizes (EFBIG, short writes) costs nothing acknowledged, and the store goes on without it',
    counts: [4, 60],
    whyNot: whyNoLimits,
    prepare: storeIn,
    begin: (child, random) => limit(child, 'fsize', random.integer(200, 40_000)),
    end: (child) => limit(child, 'fsize', 'unlimited'),
    cleanUp: nothing,
  },
  {
    unit: 'limits on open files',
    promise: 'No more files may be opened (EMFILE): nothing acknowledged is lost, and the store goes on when they may',
    counts: [4, 60],
    whyNot: whyNoLimits,
    prepare: storeIn,
    begin: (child, random) => limit(child, 'nofile', openFiles(child) + random.below(3)),
    end: (child) => limit(child, 'nofile', 1024),
    cleanUp: nothing,
    excuses: NO_MORE_FILES,
  },
]

/** Only the soft limit: it can be lifted again. Node ignores SIGXFSZ, so the process sees EFBIG and lives. */
function limit({ process: { pid, exitCode } }: Child, what: 'fsize' | 'nofile', value: number | string): void {
  if (pid === undefined || exitCode !== null) return
  try {
    runTool('prlimit', '--pid', String(pid), `--${what}=${value}:`)
  } catch (error) {
    if (!/No such process/.test(String(error))) throw error // it has ended meanwhile
  }
}

/** The lowest limit that leaves what is open as it is: descriptors are numbered without gaps, nearly. */
function openFiles({ process: { pid } }: Child): number {
  try {
    return readdirSync(`/proc/${pid ?? 0}/fd`).length
  } catch {
    return 0 // it has ended meanwhile
  }
}
