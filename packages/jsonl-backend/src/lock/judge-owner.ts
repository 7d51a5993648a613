import { isAlive } from '@turnlog/core/life-sign'
import type { Owner, Verdict } from './host.ts'
import { GONE, startTime } from './start-time.ts'

/** `unknown` if it cannot be told from here; `sign` is the file at which the owner would show that it lives. */
export async function judgeOwner(self: Owner, owner: Owner, sign: string): Promise<Verdict> {
  if (self.boot === '' || owner.boot === '') return owner.host === self.host ? judgeByNumber(self, owner) : 'unknown'
  // The same machine has been started anew since; a process of before is gone.
  if (owner.boot !== self.boot) return owner.host === self.host ? 'dead' : 'unknown'
  const verdict = judgeByNumber(self, owner)
  if (verdict !== 'unknown') return verdict
  const lives = await isAlive(sign, owner.signedIn)
  if (lives === undefined) return 'unknown'
  return lives ? 'alive' : 'dead'
}

function judgeByNumber(self: Owner, owner: Owner): Verdict {
  if (owner.pidNamespace !== self.pidNamespace) return 'unknown'
  // Two containers may have one name, and each of them a process with this number.
  if (process.platform === 'linux' && self.pidNamespace === '') return 'unknown'
  if (!exists(owner.pid)) return 'dead'
  const start = startTime(owner.pid)
  if (start === GONE) return 'dead'
  if (owner.pid === self.pid && owner.start === self.start) return 'alive'
  // Another process may have been given the number since.
  if (start === '' || owner.start === '' || owner.timeNamespace !== self.timeNamespace) return 'unknown'
  return start === owner.start ? 'alive' : 'dead'
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}
