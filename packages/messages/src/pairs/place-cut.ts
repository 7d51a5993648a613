import { safeBoundary } from './safe-boundary.ts'
import { speakerOf } from './speaker.ts'
import { readLinks, type ToolLinksOf } from './tool-links.ts'

/** With what a view begins after a cut. */
export type StartOn = 'user' | 'any'

/** Whether system and developer messages at the beginning survive a cut. */
export type Pin = 'system' | 'none'

/** A cut that keeps a view within a limit, as indexes: messages before the boundary go. */
export interface LimitBounds {
  /** Where the cut is wanted. */
  readonly asked: number
  /** The first boundary at which the limit holds; at most `asked`. */
  readonly least: number
  /** The last boundary that is possible. */
  readonly most: number
}

/** How many system and developer messages a history begins with. */
export function countPinned(messages: readonly object[]): number {
  const first = messages.findIndex((message) => {
    const { role } = message as { readonly role?: unknown }
    return role !== 'system' && role !== 'developer'
  })
  return first < 0 ? messages.length : first
}

/**
 * Where a cut falls that somebody asked for: at the first user message from there on, or, where no user speaks, at
 * the largest boundary up to there that splits no pair.
 */
export function placeCut(
  messages: readonly object[],
  asked: number,
  startOn: StartOn = 'any',
  custom?: ToolLinksOf,
): number {
  const start = startOn === 'user' ? firstUser(messages, asked, messages.length, custom) : undefined
  return start ?? safeBoundary(messages, asked, custom)
}

/**
 * Where a cut falls that a limit asks for. First come pending calls, then the limit, then that a user begins: the
 * first user message at which the limit holds. Where no user speaks from there on, any boundary that splits no pair.
 */
export function placeLimitCut(
  messages: readonly object[],
  { asked, least, most }: LimitBounds,
  startOn: StartOn,
  custom?: ToolLinksOf,
): number {
  const safe = safeBoundary(messages, asked, custom)
  const from = Math.max(safe, least)
  const start = startOn === 'user' ? firstUser(messages, from, most, custom) : undefined
  if (start !== undefined) return start
  for (let boundary = from; boundary <= most; boundary++) {
    if (safeBoundary(messages, boundary, custom) === boundary) return boundary
  }
  return safe
}

/** The first boundary before which nothing is open and behind which a user speaks. */
function firstUser(
  messages: readonly object[],
  from: number,
  most: number,
  custom: ToolLinksOf | undefined,
): number | undefined {
  const last = safeBoundary(messages, most, custom)
  for (let index = Math.max(0, from); index <= last; index++) {
    const message = messages[index]
    if (message === undefined || speakerOf(message) !== 'user') continue
    // Some APIs send the results of tools as the user's.
    if (readLinks(message, custom).results.length > 0) continue
    if (safeBoundary(messages, index, custom) === index) return index
  }
  return undefined
}
