import type { NormalMessage } from '../normalise/normalise-message.ts'
import { countPinned, placeLimitCut } from '@turnlog/messages'
import type { Pin, StartOn, ToolLinksOf } from '@turnlog/messages'
import type { SessionState } from '../view/session-state.ts'

/** How large a view may become, and how it is cut then. */
export interface ViewLimit {
  readonly maxMessages?: number | undefined
  readonly maxSessionBytes?: number | undefined
  readonly maxTokens?: number | undefined
  readonly tokensOf?: ((message: object) => number) | undefined
  readonly startOn: StartOn
  readonly pin: Pin
}

/** What is done about a message that makes a view too large. */
export interface AddLimit {
  /** Cut beyond this. */
  readonly cutAt: ViewLimit
  /** Refuse a single message of more bytes. */
  readonly refuseOver: number
}

/** What stays of a view that has become too large, so that not every message makes a cut. */
const KEPT_SHARE = 0.8

/** The estimate where nobody counts tokens. */
const BYTES_PER_TOKEN = 4

/** A place to cut a view that is too large. */
export interface LimitCut {
  /** So many messages at the beginning stay. */
  readonly pinned: number
  /** Messages between those and this index go. */
  readonly boundary: number
  /** The cut is not where it was wanted, for the sake of pairs or of a user. */
  readonly moved: boolean
  readonly exceeded: LimitName
}

const MEASURES = ['maxMessages', 'maxSessionBytes', 'maxTokens'] as const

type LimitName = (typeof MEASURES)[number]

/** A size in each measure that has a limit. */
type Size = Readonly<Record<LimitName, number>>

/** Whether the messages of a view have to be at hand to weigh it. */
export function weighsMessages({ maxTokens, tokensOf }: ViewLimit): boolean {
  return maxTokens !== undefined && tokensOf !== undefined
}

export function isLimited({ maxMessages, maxSessionBytes, maxTokens }: ViewLimit): boolean {
  return maxMessages !== undefined || maxSessionBytes !== undefined || maxTokens !== undefined
}

/** Which limit a view exceeds, with messages that are about to be added. */
export function exceededLimit<M extends object>(
  limit: ViewLimit,
  state: SessionState<M>,
  coming: readonly NormalMessage<M>[] = [],
): LimitName | undefined {
  return isLimited(limit) ? exceeded(sizeOf(limit, state, coming), limit) : undefined
}

/**
 * Where to cut a view to which some messages are about to be added: to 80 % of the limit, with them, or where a user
 * speaks behind that. `undefined` if they fit, or if nothing can go.
 */
export function limitCut<M extends object>(
  state: SessionState<M>,
  coming: readonly NormalMessage<M>[],
  limit: ViewLimit,
  toolLinks: ToolLinksOf | undefined,
): LimitCut | undefined {
  if (!isLimited(limit)) return undefined
  let size = sizeOf(limit, state, coming)
  const name = exceeded(size, limit)
  if (name === undefined) return undefined
  const messages = [...state.messages.slice(0, state.length), ...coming.map(({ message }) => message)]
  // The newest message is never cut: it is what the next answer is about.
  const most = Math.min(state.length, messages.length - 1)
  const pinned = limit.pin === 'system' ? Math.min(most, countPinned(messages)) : 0
  let asked = pinned
  let least = pinned
  while (asked < most && exceeded(size, limit, KEPT_SHARE) !== undefined) {
    if (exceeded(size, limit) !== undefined) least = asked + 1
    size = without(size, limit, messages[asked] as M, state.entries.bytes(asked))
    asked++
  }
  const boundary = placeLimitCut(messages, { asked, least, most }, limit.startOn, toolLinks)
  return boundary <= pinned ? undefined : { pinned, boundary, moved: boundary !== asked, exceeded: name }
}

function exceeded(size: Size, limit: ViewLimit, share = 1): LimitName | undefined {
  return MEASURES.find((name) => size[name] > Math.max(1, (limit[name] ?? Infinity) * share))
}

function sizeOf<M extends object>(
  { maxTokens, tokensOf }: ViewLimit,
  state: SessionState<M>,
  coming: readonly NormalMessage<M>[],
): Size {
  const bytes = coming.reduce((sum, message) => sum + message.bytes, state.bytes)
  let tokens = bytes / BYTES_PER_TOKEN
  if (maxTokens !== undefined && tokensOf !== undefined) {
    tokens = coming.reduce((sum, { message }) => sum + tokensOf(message), 0)
    for (let i = 0; i < state.length; i++) tokens += tokensOf(state.messages[i] as M)
  }
  return { maxMessages: state.length + coming.length, maxSessionBytes: bytes, maxTokens: tokens }
}

function without(size: Size, { maxTokens, tokensOf }: ViewLimit, message: object, bytes: number): Size {
  const tokens = maxTokens === undefined || tokensOf === undefined ? bytes / BYTES_PER_TOKEN : tokensOf(message)
  return {
    maxMessages: size.maxMessages - 1,
    maxSessionBytes: size.maxSessionBytes - bytes,
    maxTokens: size.maxTokens - tokens,
  }
}
