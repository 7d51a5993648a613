import { readFileSync } from 'node:fs'

type Verdict = 'alive' | 'dead' | 'unknown'

/** How versions before this package read the fields of a lock. */
export interface FormerLevelDbIdentity {
  readonly host: string
  readonly boot: string
  readonly namespace: string
  readonly pid: number
  readonly started: string
  readonly timeNamespace?: string | undefined
}

export interface FormerJsonlIdentity {
  readonly host: string
  readonly boot: string
  readonly pidNamespace: string
  readonly pid: number
  readonly start: string
  readonly timeNamespace?: string | undefined
}

/** How the LevelDB backend judged an owner up to version 0.1. Frozen: such versions may run beside this one. */
export function formerLevelDbVerdict(owner: FormerLevelDbIdentity, self: FormerLevelDbIdentity): Verdict {
  if (owner.boot !== self.boot || self.boot === '') {
    if (owner.host !== self.host) return 'unknown'
    if (owner.boot !== self.boot) return owner.boot === '' || self.boot === '' ? 'unknown' : 'dead'
  }
  if (owner.namespace !== self.namespace) return 'unknown'
  if (owner.pid === self.pid && owner.started === self.started) return 'alive'
  if (!exists(owner.pid)) return 'dead'
  const started = startTime(owner.pid)
  if (started === 'gone') return 'dead'
  if (owner.started === '' || started === '' || owner.timeNamespace !== self.timeNamespace) return 'unknown'
  return started === owner.started ? 'alive' : 'dead'
}

/** How the JSONL backend judged one, before it asked at the liveness socket of an unknown owner. Frozen too. */
export function formerJsonlVerdict(owner: FormerJsonlIdentity, self: FormerJsonlIdentity): Verdict {
  if (self.boot === '' || owner.boot === '') return owner.host === self.host ? judgeByNumber(owner, self) : 'unknown'
  if (owner.boot !== self.boot) return owner.host === self.host ? 'dead' : 'unknown'
  return judgeByNumber(owner, self)
}

function judgeByNumber(owner: FormerJsonlIdentity, self: FormerJsonlIdentity): Verdict {
  if (owner.pidNamespace !== self.pidNamespace) return 'unknown'
  if (process.platform === 'linux' && self.pidNamespace === '') return 'unknown'
  if (!exists(owner.pid)) return 'dead'
  const start = startTime(owner.pid)
  if (start === 'gone') return 'dead'
  if (owner.pid === self.pid && owner.start === self.start) return 'alive'
  if (start === '' || owner.start === '' || owner.timeNamespace !== self.timeNamespace) return 'unknown'
  return start === owner.start ? 'alive' : 'dead'
}

/** What the LevelDB backend took for a lock. */
export function formerLevelDbLock(
  text: string,
): (FormerLevelDbIdentity & { claim: string; since: string }) | undefined {
  const record = JSON.parse(text) as Partial<FormerLevelDbIdentity & { claim: string; since: string }> | null
  const isWhole = typeof record?.pid === 'number' && /^[0-9a-f]{16}$/.test(record.claim ?? '')
  return isWhole ? (record as FormerLevelDbIdentity & { claim: string; since: string }) : undefined
}

/** What the JSONL backend took for one. */
export function formerJsonlLock(text: string): (FormerJsonlIdentity & { token: string; since: number }) | undefined {
  const content = JSON.parse(text) as Readonly<Record<string, unknown>>
  const { host, boot, pidNamespace, pid, start, since, token, released } = content
  const isText = [host, boot, pidNamespace, start, token].every((field) => typeof field === 'string')
  if (!isText || typeof pid !== 'number' || typeof since !== 'number' || typeof released !== 'boolean') return undefined
  return content as unknown as FormerJsonlIdentity & { token: string; since: number }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const hasEnded = (fields[0] === 'Z' || fields[0] === 'X') && Number(fields[17]) <= 1
    return hasEnded ? 'gone' : (fields[19] ?? '')
  } catch {
    return ''
  }
}
