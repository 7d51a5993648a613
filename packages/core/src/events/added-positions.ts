import type { Position } from './run.ts'

/** Longer ones would not leave the projection small. Hundreds of messages side by side take a few characters. */
const MAX_LENGTH = 24

/** Instead of positions that would take too much. */
const TOO_MANY = '*'

/**
 * Positions of the messages that one operation added, as text: runs of them, each by its distance from the end of the
 * run before it and, if it has several, how many it has.
 */
export function withPosition(added: string | undefined, position: Position): string {
  if (added === undefined) return toText(position, 1)
  const runs = readRuns(added)
  const last = runs?.at(-1)
  if (runs === undefined || last === undefined) return TOO_MANY
  const [from, count] = last
  const end = from + count
  const before = added.slice(0, added.lastIndexOf(' ') + 1)
  const previous = runs.at(-2)
  const text =
    position === end
      ? before + toText(from - (previous === undefined ? 0 : previous[0] + previous[1]), count + 1)
      : `${added} ${toText(position - end, 1)}`
  return text.length > MAX_LENGTH ? TOO_MANY : text
}

/** `undefined` if they were too many to be remembered. */
export function addedPositions(added: string): Position[] | undefined {
  return readRuns(added)?.flatMap(([from, count]) => Array.from({ length: count }, (_, index) => from + index))
}

function toText(distance: number, count: number): string {
  return count === 1 ? distance.toString(36) : `${distance.toString(36)}.${count.toString(36)}`
}

function readRuns(added: string): (readonly [from: Position, count: number])[] | undefined {
  if (added === TOO_MANY) return undefined
  let end = 0
  return added.split(' ').map((run) => {
    const [distance = '', count = '1'] = run.split('.')
    const from = end + Number.parseInt(distance, 36)
    const length = Number.parseInt(count, 36)
    end = from + length
    return [from, length]
  })
}
