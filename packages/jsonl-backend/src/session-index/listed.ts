import { compareKeys } from '@turnlog/core/backend'

/** A session and its file. */
export interface Listed {
  readonly session: string
  readonly name: string
}

/** Of sessions in the byte order of their keys, those with a prefix and after a key. */
export function* listedBetween(all: readonly Listed[], prefix: string, after: string | undefined): Generator<Listed> {
  const isBefore = (key: string): boolean =>
    compareKeys(key, prefix) < 0 || (after !== undefined && compareKeys(key, after) <= 0)
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(all[middle]?.session ?? '')) low = middle + 1
    else high = middle
  }
  for (; low < all.length; low++) {
    const listed = all[low]
    // Keys with a common prefix follow each other.
    if (listed?.session.startsWith(prefix) !== true) return
    yield listed
  }
}

/** Up to `limit` of them, `size` at a time. */
export function* batchesOf(all: Iterable<Listed>, size: number, limit: number): Generator<readonly Listed[]> {
  let batch: Listed[] = []
  let room = limit
  if (room <= 0) return
  for (const listed of all) {
    batch.push(listed)
    room--
    if (batch.length < size && room > 0) continue
    yield batch
    if (room <= 0) return
    batch = []
  }
  if (batch.length > 0) yield batch
}
