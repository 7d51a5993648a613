import type { Position, SessionView } from '@turnlog/core'
import type { AnyStore } from '../context/context.ts'
import type { AnyMessage } from '../output/message-text.ts'

export interface ComparedMessage {
  readonly change: 'kept' | 'removed' | 'added'
  readonly position: Position
  readonly message: AnyMessage
}

interface Listed extends Omit<ComparedMessage, 'change'> {
  /** Where the message first was: one that was stored anew is still the same. */
  readonly origin: Position
}

/** Both views in one list, in their order: what went, what came and what stayed. A message that moved went and came. */
export async function compareViews(
  store: AnyStore,
  before: SessionView<AnyMessage>,
  after: SessionView<AnyMessage>,
): Promise<ComparedMessage[]> {
  const origins = await originsOf(store, before, after)
  const list = ({ messages, positions }: SessionView<AnyMessage>): Listed[] =>
    positions.map((position, index) => {
      return { position, message: messages[index] as AnyMessage, origin: origins.get(position) ?? position }
    })
  return merge(list(before), list(after))
}

function merge(before: readonly Listed[], after: readonly Listed[]): ComparedMessage[] {
  const common = commonOrigins(before, after)
  const compared: ComparedMessage[] = []
  let next = 0
  const addUpTo = (origin: number | undefined): void => {
    for (; next < after.length; next++) {
      const message = after[next] as Listed
      if (message.origin === origin) break
      compared.push({ ...message, change: 'added' })
    }
  }
  for (const message of before) {
    if (!common.has(message.origin)) {
      compared.push({ ...message, change: 'removed' })
      continue
    }
    addUpTo(message.origin)
    compared.push({ ...message, change: 'kept' })
    next++
  }
  addUpTo(undefined)
  return compared
}

/** Of messages that only one of the views has under that position: where those that were stored anew first were. */
async function originsOf(
  store: AnyStore,
  before: SessionView<AnyMessage>,
  after: SessionView<AnyMessage>,
): Promise<Map<Position, Position>> {
  const had = new Set(before.positions)
  const has = new Set(after.positions)
  const differing = [
    ...before.positions.filter((one) => !has.has(one)),
    ...after.positions.filter((one) => !had.has(one)),
  ]
  const origins = new Map<Position, Position>()
  if (differing.length === 0) return origins
  const range = differing.reduce(({ from, to }, one) => ({ from: Math.min(from, one), to: Math.max(to, one) }), {
    from: Infinity,
    to: 0,
  })
  for await (const event of store.events(before.key, range)) {
    if (event.type !== 'MessageStored' || event.of === undefined) continue
    const [origin = event.seq] = typeof event.of === 'number' ? [event.of] : event.of
    origins.set(event.seq, origin)
  }
  return origins
}

/** Messages that both views have in the same order, going from the start and taking each where it comes next. */
function commonOrigins(before: readonly Listed[], after: readonly Listed[]): Set<number> {
  const placeAfter = new Map(after.map(({ origin }, index) => [origin, index]))
  const common = new Set<number>()
  let last = -1
  for (const { origin } of before) {
    const place = placeAfter.get(origin)
    if (place === undefined || place < last) continue
    common.add(origin)
    last = place
  }
  return common
}
