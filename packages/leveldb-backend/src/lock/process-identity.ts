import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Which process on which machine. Pid and start time together never come again; a pid alone does. */
export interface ProcessIdentity {
  readonly host: string
  readonly boot: string
  readonly namespace: string
  readonly pid: number
  readonly started: string
  /** In which the start time was read: each one counts it from another moment. Locks of older versions do not say it. */
  readonly timeNamespace?: string
}

/** What is unknown on a system without `/proc` is empty. */
export function processIdentity(): ProcessIdentity {
  return {
    host: hostname(),
    boot: bootId(),
    namespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    started: startTime(process.pid),
    timeNamespace: attempt(() => readlinkSync('/proc/self/ns/time')),
  }
}

/** Another one after each start of the machine. */
export function bootId(): string {
  return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
}

/** `unknown` if it cannot be seen from here: on another machine, or in another container of this one. */
export function judgeProcess(owner: ProcessIdentity, self: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  // Within one start of a machine its name says nothing: it may change, and each container has its own.
  if (owner.boot !== self.boot || self.boot === '') {
    if (owner.host !== self.host) return 'unknown'
    if (owner.boot !== self.boot) return owner.boot === '' || self.boot === '' ? 'unknown' : 'dead'
  }
  if (owner.namespace !== self.namespace) return 'unknown'
  if (owner.pid === self.pid && owner.started === self.started) return 'alive'
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'dead'
  }
  const started = startTime(owner.pid)
  if (started === GONE) return 'dead'
  // Somebody has this pid, and without /proc, or from another time namespace, nobody knows since when.
  if (owner.started === '' || started === '' || owner.timeNamespace !== self.timeNamespace) return 'unknown'
  return started === owner.started ? 'alive' : 'dead'
}

/** Of a zombie: it still has its pid, but it will never touch a file again. */
const GONE = 'gone'

/** In ticks since boot: the 22nd field, counted after the name, which may itself hold blanks and brackets. */
function startTime(pid: number): string {
  return attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // The 20th is the number of threads: the first one may have ended before another that still writes.
    const hasEnded = (fields[0] === 'Z' || fields[0] === 'X') && Number(fields[17]) <= 1
    return hasEnded ? GONE : (fields[19] ?? '')
  })
}

function attempt(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // there is no /proc here, or not for this process
  }
}
