import type { SessionHead } from '../backend/backend.ts'
import type { OnDamaged } from '../backend/list-intact.ts'
import { listIntactSessions, listIntactPages } from '../backend/list-intact.ts'
import type { StoreError } from '../errors/store-error.ts'
import { checkKeyText } from '../keys/check-key.ts'
import { compareKeys } from '../keys/compare-keys.ts'
import { loadState } from '../view/load-state.ts'
import type { Projection } from '../view/projection.ts'
import { projectionOf } from '../view/projection.ts'
import { readProjection } from '../view/read-projection.ts'
import type { EventSource } from '../view/read-events.ts'
import { checkObject, checkWholeNumber } from '../errors/check-arguments.ts'
import type { ListOptions, SessionInfo } from './session-store.ts'

/** Heads that are asked for at a time for a page. Deleted sessions have heads as well, so it takes more than its limit. */
const MIN_HEADS = 256
const MAX_HEADS = 4096

/** The sessions that exist, by their heads alone; only a head without a usable projection costs a look at its log. */
export async function* listSessions(source: EventSource, options: ListOptions = {}): AsyncGenerator<SessionInfo> {
  const { prefix, after, limit = Infinity } = checkObject('options', options, ['prefix', 'after', 'limit'])
  checkKeyText('prefix', prefix)
  checkKeyText('after', after)
  if (limit !== Infinity) checkWholeNumber('limit', limit)
  const keys = { ...(prefix === undefined ? undefined : { prefix }), ...(after === undefined ? undefined : { after }) }
  if (limit !== Infinity) {
    yield* listPage(source, keys, limit)
    return
  }
  for await (const batch of source.backend.list(keys)) {
    for (const head of batch) {
      const info = readInfo(head) ?? (await loadInfo(source, head))
      if (info !== 'deleted') yield info
    }
  }
}

/** Lists what is intact and reports the damaged sessions to `onDamaged`. */
export async function* listIntactInfos(
  source: EventSource,
  keys: Omit<ListOptions, 'limit'>,
  onDamaged: OnDamaged,
): AsyncGenerator<SessionInfo> {
  for await (const head of listIntactSessions(source.backend, keys, onDamaged)) {
    const info = readInfo(head) ?? (await loadInfo(source, head))
    if (info !== 'deleted') yield info
  }
}

/** One of them, or nothing. */
export async function sessionInfo(source: EventSource, session: string): Promise<SessionInfo | undefined> {
  const found = await source.backend.head(session)
  if (found === undefined) return undefined
  const head: SessionHead = { ...found, session }
  const info = readInfo(head) ?? (await loadInfo(source, head))
  return info === 'deleted' ? undefined : info
}

/**
 * The first of them. Damage among them is thrown after the last one: whoever goes on from there by `after` would
 * otherwise never hear of it, for a backend may say it only at the end of everything.
 */
async function* listPage(
  source: EventSource,
  keys: Omit<ListOptions, 'limit'>,
  limit: number,
): AsyncGenerator<SessionInfo> {
  if (limit === 0) return
  const damaged: StoreError[] = []
  const heads = Math.min(Math.max(limit, MIN_HEADS), MAX_HEADS)
  let left = limit
  let last: string | undefined
  for await (const head of listIntactPages(source.backend, keys, heads, (damage) => damaged.push(damage))) {
    const info = readInfo(head) ?? (await loadInfo(source, head))
    if (info === 'deleted') continue
    yield info
    left--
    if (left > 0) continue
    last = head.session
    break
  }
  const found = damaged.find(({ session }) => last === undefined || isUpTo(session, last))
  if (found !== undefined) throw found
}

/** What nobody can place belongs to the last page. */
function isUpTo(session: string | undefined, last: string): boolean {
  return session !== undefined && compareKeys(session, last) <= 0
}

type Info = SessionInfo | 'deleted'

/** `undefined` if the head has no projection that this release understands. */
function readInfo(head: SessionHead): Info | undefined {
  const projection = readProjection(head.projection)
  return projection === undefined ? undefined : infoOf(head, projection)
}

async function loadInfo(source: EventSource, head: SessionHead): Promise<Info> {
  return infoOf(head, projectionOf(await loadState(source, head.session)))
}

function infoOf({ session, last, bytes }: SessionHead, projection: Projection): Info {
  const { messages, metadata, createdAt, updatedAt, deleted, usage } = projection
  if (deleted === true) return 'deleted'
  const info = { key: session, version: last, messages, metadata, createdAt, updatedAt, bytes }
  return usage === undefined ? info : { ...info, usage }
}
