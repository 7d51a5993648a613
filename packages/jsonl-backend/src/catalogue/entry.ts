import type { StoreError } from '@turnlog/core/backend'
import type { FileStat } from '../file-system/file-system.ts'
import { decodeFileName } from '../format/file-name.ts'
import type { Committed } from '../format/committed.ts'
import type { Known } from './sidecar.ts'

/** The last event that was surely acknowledged, in which life of the session. */
export type Floor = Pick<Committed['head'], 'last' | 'incarnation'>

/** What is known about one session file. */
export interface Entry {
  /** As the file looked when it was last known to hold exactly `committed`; `undefined` after a write of our own. */
  stat: Known['stat'] | undefined
  /** Text as long as nobody asked: most sessions are never looked at. */
  committed: Committed | string | undefined
  /**
   * What the file must not fall behind; `undefined`: `committed`. A reader beside a writer may have seen an append that
   * the writer takes back because it could not be synced.
   */
  floor?: Floor | undefined
  /** Why the session cannot be used. */
  error: StoreError | undefined
  /** The file was missing when nobody wrote: no writer can have erased it, so it is missed until it is back. */
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

export function floorOf(entry: Entry): Floor | undefined {
  if (entry.floor !== undefined) return entry.floor
  return entry.committed === undefined ? undefined : parseCommitted(entry).head
}

export function sessionOf(name: string, entry: Entry): string | undefined {
  const decoded = decodeFileName(name)
  if (typeof decoded === 'object') return decoded.session
  return entry.committed === undefined ? entry.error?.session : parseCommitted(entry).session
}

/** No file looks like this, so the next who opens the directory looks into it and judges. */
const NEVER_SEEN: Known['stat'] = { size: 0, mtimeMs: 0, inode: 0 }

/** What the sidecar is to know: what was acknowledged, also of a file that is not as it should be. */
export function toKnown(name: string, { stat = NEVER_SEEN, committed }: Entry): [string, Known][] {
  if (committed === undefined) return []
  const text = typeof committed === 'string' ? committed : JSON.stringify(committed)
  return [[name, { stat, text }]]
}
