import { PairWalk, type WalkedCall } from './pair-walk.ts'
import { isGluedToNext } from './reasoning.ts'
import { speakerOf, turnOf } from './speaker.ts'
import { readLinks, type ShapedLinks, type ToolLinksOf } from './tool-links.ts'

/**
 * Where a cut may fall: messages with an index below the boundary go. Gives the largest boundary, at most the one
 * asked, that splits no call from its results and no reasoning item from what it led to, and leaves every pending
 * call in place, also if all messages were to go. One that the model went on without is not pending. Reads only from the last message that ended a turn before the
 * boundary to where the calls before it are settled.
 */
export function safeBoundary(messages: readonly object[], boundary: number, custom?: ToolLinksOf): number {
  const asked = Math.min(Math.floor(boundary), messages.length)
  if (!(asked > 0)) return 0
  const before: ShapedLinks[] = []
  let start = asked
  while (start > 0) {
    const links = readLinks(messages[start - 1], custom)
    if (leavesNothingOpen(messages[start - 1], links)) break
    before.push(links)
    start--
  }
  const walk = new PairWalk()
  const made: WalkedCall[] = []
  for (let index = start; index < asked; index++) {
    const links = before[asked - 1 - index]
    if (links === undefined) continue
    for (const call of walk.step(index, messages[index], links).made) made.push(call)
  }
  for (let index = asked; index < messages.length && hasOpenBefore(walk, asked); index++) {
    walk.step(index, messages[index], readLinks(messages[index], custom))
  }
  // The model went on without the result of a call from before its last block: it is lost, and holds up no cut.
  const kept = made.filter(({ state, block }) => state !== 'open' || walk.blockStarts[block + 1] === undefined)
  return largestUncrossed(messages, kept, start, asked)
}

/** True where no call from before can still be open, whatever came before. */
function leavesNothingOpen(message: unknown, links: ShapedLinks): boolean {
  if (links.calls.length > 0 || links.results.length > 0) return false
  const speaker = speakerOf(message)
  return speaker === 'user' || (speaker === 'assistant' && turnOf(message) === undefined)
}

function hasOpenBefore(walk: PairWalk, boundary: number): boolean {
  const oldest = walk.open.values().next()
  return oldest.done !== true && oldest.value.index < boundary
}

function largestUncrossed(
  messages: readonly object[],
  made: readonly WalkedCall[],
  start: number,
  asked: number,
): number {
  const reaches = new Map<number, number>()
  for (const call of made) {
    if (call.state === 'interrupted') continue
    const reach = call.state === 'answered' ? call.settledAt : Infinity
    reaches.set(call.index, Math.max(reach, reaches.get(call.index) ?? -1))
  }
  let largest = start
  let reach = -1
  for (let boundary = start + 1; boundary <= asked; boundary++) {
    reach = Math.max(reach, reaches.get(boundary - 1) ?? -1)
    if (reach < boundary && !isGluedToNext(messages[boundary - 1], messages[boundary])) largest = boundary
  }
  return largest
}
