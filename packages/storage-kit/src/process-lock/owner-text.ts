import { formatOwner } from './lock-record.ts'
import type { LockRecord } from './lock-record.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** What a file of a LevelDB store says that names its owner, also to earlier versions, which look for other names. */
export function ownerText(owner: ProcessIdentity | LockRecord): string {
  return formatOwner(owner, { namespace: owner.pidNamespace, started: owner.start })
}
