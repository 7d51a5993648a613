import type { Backend, ListRange, SessionHead } from './backend.ts'
import type { StoreError } from '../errors/store-error.ts'
import { isStoreError } from '../errors/store-error.ts'
import { compareKeys } from '../keys/compare-keys.ts'

/** Sessions in a page once damage is known. */
const PAGE = 64

export type OnDamaged = (damage: StoreError) => void

export function isDamage(error: unknown): error is StoreError {
  return isStoreError(error, 'CORRUPT') || isStoreError(error, 'UNSUPPORTED')
}

type Keys = Omit<ListRange, 'limit'>

/**
 * Every session that can be listed, once and in order, although others are damaged; those are told, each once. Without
 * damage it is a plain listing.
 *
 * @throws whatever is not damage
 */
export async function* listIntactSessions(
  backend: Backend,
  keys: Keys,
  onDamaged: OnDamaged,
): AsyncGenerator<SessionHead> {
  let given = keys.after ?? ''
  try {
    for await (const batch of backend.list(keys)) {
      for (const head of batch) {
        given = head.session
        yield head
      }
    }
    return
  } catch (error) {
    if (!isDamage(error)) throw error
  }
  for await (const head of listIntactPages(backend, keys, PAGE, onDamaged)) {
    if (compareKeys(head.session, given) > 0) yield head
  }
}

/**
 * The same in pages. A backend may throw where the damage is, which hides the sound sessions behind it, or at the end of
 * the listing, and then of all damage only the first. A page is read before anything of it is given, and after damage
 * the next page begins right behind it. So what is damaged is told before a sound session that comes after it is given.
 */
export async function* listIntactPages(
  backend: Backend,
  keys: Keys,
  size: number,
  onDamaged: OnDamaged,
): AsyncGenerator<SessionHead> {
  const told = new Set<string>()
  let after = keys.after ?? ''
  let given = after
  let limit = size
  for (;;) {
    const { heads, error } = await onePage(backend, { ...keys, ...(after === '' ? undefined : { after }), limit })
    const damage = isDamage(error) ? error : undefined
    if (damage !== undefined && !told.has(damage.message)) {
      told.add(damage.message)
      onDamaged(damage)
    }
    for (const head of heads) {
      if (compareKeys(head.session, given) <= 0) continue
      given = head.session
      yield head
    }
    if (error !== damage) throw error
    const last = heads.at(-1)?.session ?? after
    const at = damage?.session
    if (at !== undefined && compareKeys(at, after) > 0) {
      // Where the damage is thrown on the spot, the sound sessions of the page before it went down with it.
      const hides = compareKeys(last, at) < 0 && limit > 1
      after = hides ? last : at
      limit = hides ? 1 : size
    } else if (last === after) {
      return
    } else {
      after = last
    }
  }
}

async function onePage(
  backend: Backend,
  range: ListRange,
): Promise<{ readonly heads: readonly SessionHead[]; readonly error?: unknown }> {
  const heads: SessionHead[] = []
  try {
    for await (const batch of backend.list(range)) heads.push(...batch)
    return { heads }
  } catch (error) {
    return { heads, error }
  }
}
