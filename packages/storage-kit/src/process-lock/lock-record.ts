import type { FileIdentity } from './file-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** What a lock file says. */
export interface LockRecord extends ProcessIdentity, Partial<FileIdentity> {
  /** Random: names this lock among those of its owner, and the liveness socket beside it. */
  readonly claim: string
  readonly since: string
  /** The owner has closed the store, and left the file where it is. */
  readonly released?: boolean | undefined
}

/**
 * The text of a file that names its owner.
 *
 * @param former the same under the names by which versions before this package look for it: they may run beside
 */
export function formatOwner(owner: ProcessIdentity | LockRecord, former: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ ...owner, ...former })}\n`
}

/** @returns `undefined` if it cannot be understood; each file appears whole or not at all, so a crash cannot cause that */
export function parseLock(text: string): LockRecord | undefined {
  const owner = parseOwner(text)
  return owner === undefined || !isLock(owner) ? undefined : { ...owner, since: timeOf(owner.since) }
}

/** The same of a file that says no more than who owns it. */
export function parseOwner(text: string): ProcessIdentity | undefined {
  let value: Record<string, unknown>
  try {
    value = { ...(JSON.parse(text) as object | null) }
  } catch {
    return undefined
  }
  // The spellings of the LevelDB and of the JSONL backend, before they shared this one.
  const { namespace, started, token, signedIn } = value
  const owner = { pidNamespace: namespace, start: started, claim: token, fileSystem: signedIn, ...value }
  return isOwner(owner) ? owner : undefined
}

type Unchecked<T> = { readonly [Field in keyof T]?: unknown }

function isOwner(value: Unchecked<ProcessIdentity>): value is ProcessIdentity {
  const { host, boot, pidNamespace, start, pid } = value
  return [host, boot, pidNamespace, start].every((field) => typeof field === 'string') && Number.isSafeInteger(pid)
}

function isLock(value: ProcessIdentity & Unchecked<LockRecord>): value is LockRecord {
  const { claim, since, released = false } = value
  // The claim is a part of file names.
  const isClaim = typeof claim === 'string' && /^[0-9a-f]{1,64}$/.test(claim)
  return isClaim && (typeof since === 'string' || Number.isSafeInteger(since)) && typeof released === 'boolean'
}

/** JSONL stores say it in milliseconds. */
function timeOf(since: string | number): string {
  return typeof since === 'number' ? new Date(since).toISOString() : since
}
