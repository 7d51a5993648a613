/** The most edits that still count as a slip of the fingers. */
const MAX_EDITS = 2

/** The known name that was probably meant, or `undefined` if none is close. */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined
  // A short name is within two edits of any other short name: at most a third of it may differ.
  let fewest = Math.min(MAX_EDITS, Math.floor(given.length / 3)) + 1
  for (const name of known) {
    const edits = editDistance(given.toLowerCase(), name.toLowerCase())
    if (edits < fewest) [nearest, fewest] = [name, edits]
  }
  return nearest
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 0; row < left.length; row++) {
    const current = [row + 1]
    for (let column = 1; column <= right.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (left[row] === right[column - 1] ? 0 : 1)
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
