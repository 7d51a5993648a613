import { GONE, startTime } from './start-time.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** Only `dead` allows a lock to be taken over. `unknown`: it cannot be seen from here whether the owner lives. */
export type Verdict = 'alive' | 'dead' | 'unknown'

/**
 * Whether a process still lives, as `self` can see it: by pid and start time if both are in one start of one machine
 * and in one pid namespace, and otherwise only if the machine has been started anew since.
 */
export function checkProcess(owner: ProcessIdentity, self: ProcessIdentity): Verdict {
  // Within one start of a machine its name says nothing: it may change, and each container has its own.
  if (owner.boot !== self.boot) {
    const isSameMachine = owner.host === self.host && owner.boot !== '' && self.boot !== ''
    return isSameMachine ? 'dead' : 'unknown'
  }
  if (self.boot === '' && owner.host !== self.host) return 'unknown'
  if (owner.pidNamespace !== self.pidNamespace) return 'unknown'
  // Linux without /proc: two containers may have one host name, and each of them a process with this pid.
  if (process.platform === 'linux' && self.pidNamespace === '') return 'unknown'
  if (!exists(owner.pid)) return 'dead'
  const start = startTime(owner.pid)
  if (start === GONE) return 'dead'
  if (owner.pid === self.pid && owner.start === self.start) return 'alive'
  // Some process has this pid. Without /proc, or from another time namespace, nobody knows since when.
  if (start === '' || owner.start === '' || owner.timeNamespace !== self.timeNamespace) return 'unknown'
  return start === owner.start ? 'alive' : 'dead'
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
