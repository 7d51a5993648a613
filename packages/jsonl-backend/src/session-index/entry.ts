import type { StoreError } from '@turnlog/core/backend'
import type { FileStat } from '../file-system/file-system.ts'
import { decodeFileName } from '../format/file-name.ts'
import type { Committed } from '../format/committed.ts'
import type { Known } from './sidecar.ts'

/** The last event that was certainly acknowledged, and the incarnation of the session. */
export type LastAcknowledged = Pick<Committed['head'], 'last' | 'incarnation'>

/** What is known about one session file. */
export interface Entry {
  /** As the file looked when it was last known to hold exactly `committed`; `undefined` after a write of our own. */
  stat: Known['stat'] | undefined
  /** Text until it is first read: most sessions never are. */
  committed: Committed | string | undefined
  /**
   * What the file must not fall behind; `undefined`: `committed`. A reader beside a writer may have seen an append that
   * the writer takes back because it could not be synced.
   */
  lastAcknowledged?: LastAcknowledged | undefined
  /** Why the session cannot be used. */
  error: StoreError | undefined
  /** The file was missing while there was no writer, so it was not erased: the session is CORRUPT until the file is back. */
  isLost?: boolean
  /** The line in the sidecar, if it has one, is as this entry. */
  saved: boolean
}

/** Whether a file still looks as it did. */
export function isSame(known: Known['stat'] | undefined, stat: FileStat | undefined): boolean {
  return (
    known !== undefined &&
    stat?.size === known.size &&
    stat.mtimeMs === known.mtimeMs &&
    stat.inode === known.inode &&
    stat.isFile
  )
}

export function parseCommitted(entry: Entry): Committed {
  if (typeof entry.committed === 'string') entry.committed = JSON.parse(entry.committed) as Committed
  return entry.committed as Committed
}

export function lastAcknowledgedOf(entry: Entry): LastAcknowledged | undefined {
  if (entry.lastAcknowledged !== undefined) return entry.lastAcknowledged
  return entry.committed === undefined ? undefined : parseCommitted(entry).head
}

export function sessionOf(name: string, entry: Entry): string | undefined {
  const decoded = decodeFileName(name)
  if (typeof decoded === 'object') return decoded.session
  return entry.committed === undefined ? entry.error?.session : parseCommitted(entry).session
}

/** No file looks like this, so the next open inspects the file. */
const NEVER_SEEN: Known['stat'] = { size: 0, mtimeMs: 0, inode: 0 }

/** What the sidecar records: what was acknowledged, even if the file is damaged now. */
export function toKnown(name: string, { stat = NEVER_SEEN, committed }: Entry): [string, Known][] {
  if (committed === undefined) return []
  const text = typeof committed === 'string' ? committed : JSON.stringify(committed)
  return [[name, { stat, text }]]
}
