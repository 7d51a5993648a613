import { compareKeys } from '@turnlog/core/backend'

/** A session and its file. */
export interface Listed {
  readonly session: string
  readonly name: string
}

/** Of sessions in the byte order of their keys, up to `limit` of those with a prefix and after a key. */
export function listedBetween(
  all: readonly Listed[],
  prefix: string,
  after: string | undefined,
  limit: number,
): readonly Listed[] {
  const isBefore = (key: string): boolean =>
    compareKeys(key, prefix) < 0 || (after !== undefined && compareKeys(key, after) <= 0)
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(all[middle]?.session ?? '')) low = middle + 1
    else high = middle
  }
  // Keys with a common prefix follow each other.
  let end = low
  while (end - low < limit && all[end]?.session.startsWith(prefix) === true) end++
  return all.slice(low, end)
}
