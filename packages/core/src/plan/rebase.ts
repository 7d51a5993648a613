import type { Run } from '../events/run.ts'
import { runBytes, runsOf } from '../events/run.ts'
import type { StoredMessage } from '../view/session-state.ts'
import type { Draft } from './draft.ts'

/** A run of fewer messages than this costs more to name and to read than it saves. */
const SHORT_RUN = 16

/** The runs of a new view, and whether short ones had to be stored anew for it. */
export interface RebasedRuns {
  readonly view: readonly Run[]
  readonly rebased: boolean
}

/**
 * Names the messages of a new view by runs. Runs are paid for at every cut, so when those written since the last
 * rebase outweigh the view itself, messages in short runs are stored again, side by side, and become one run. So a
 * history that is edited for ever costs at most twice what is new.
 */
export function rebaseRuns<M>(draft: Draft<M>, entries: readonly StoredMessage<M>[]): RebasedRuns {
  const view = runsOf(entries)
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  if (view.length <= 1 || draft.state.runBytes + runBytes(view) <= bytes) return { view, rebased: false }
  const together: StoredMessage<M>[] = []
  let index = 0
  for (const run of view) {
    const length = runLength(entries, index, run)
    for (const entry of entries.slice(index, index + length)) {
      together.push(length >= SHORT_RUN ? entry : draft.moveMessage(entry))
    }
    index += length
  }
  return { view: runsOf(together), rebased: true }
}

function runLength(entries: readonly { readonly position: number }[], start: number, [, to]: Run): number {
  let end = start
  while (entries[end]?.position !== to) end += 1
  return end - start + 1
}
