import { formatOwner } from '@turnlog/storage-kit'
import type { LockRecord, ProcessIdentity } from '@turnlog/storage-kit'

/** What a file says that names its owner, also to earlier versions, which look for other names. */
export function ownerText(owner: ProcessIdentity | LockRecord): string {
  return formatOwner(owner, { namespace: owner.pidNamespace, started: owner.start })
}
