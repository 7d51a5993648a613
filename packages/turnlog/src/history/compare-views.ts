import type { ReplayedMessage } from './replay.ts'
import type { PastView } from './view-at.ts'

export interface ComparedMessage {
  readonly change: 'kept' | 'removed' | 'added'
  readonly message: ReplayedMessage
}

/** Both views in one list, in their order: what went, what came and what stayed. A message that moved went and came. */
export function compareViews(before: PastView, after: PastView): ComparedMessage[] {
  const common = commonOrigins(before, after)
  const compared: ComparedMessage[] = []
  let next = 0
  const addUpTo = (origin: number | undefined): void => {
    for (; next < after.messages.length; next++) {
      const message = after.messages[next] as ReplayedMessage
      if (message.origin === origin) break
      compared.push({ change: 'added', message })
    }
  }
  for (const message of before.messages) {
    if (!common.has(message.origin)) {
      compared.push({ change: 'removed', message })
      continue
    }
    addUpTo(message.origin)
    compared.push({ change: 'kept', message })
    next += 1
  }
  addUpTo(undefined)
  return compared
}

/** Messages that both views have in the same order, going from the start and taking each where it comes next. */
function commonOrigins(before: PastView, after: PastView): Set<number> {
  const placeAfter = new Map(after.messages.map(({ origin }, index) => [origin, index]))
  const common = new Set<number>()
  let last = -1
  for (const { origin } of before.messages) {
    const place = placeAfter.get(origin)
    if (place === undefined || place < last) continue
    common.add(origin)
    last = place
  }
  return common
}
