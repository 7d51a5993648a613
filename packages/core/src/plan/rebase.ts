import type { Run, RunEntry } from '../events/run.ts'
import { runBytes, runsOf } from '../events/run.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
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
 * Names the messages of a new view by runs, and records those that are new to the session. Runs are paid for at every
 * cut, so when those written since the last rebase outweigh the view itself, messages in short runs are stored again,
 * side by side, and become one run. So a history that is edited for ever costs at most twice what is new.
 */
export function rebaseRuns<M>(draft: Draft<M>, wanted: readonly (StoredMessage<M> | NormalMessage<M>)[]): RebasedRuns {
  // What is new is recorded only when it is known what is stored anew: then each comes once, and both lie side by side.
  let next = draft.state.last + 1
  const planned = wanted.map((entry) => ('position' in entry ? entry : { position: next++, previous: -1 }))
  const view = runsOf(planned)
  const bytes = wanted.reduce((sum, entry) => sum + entry.bytes, 0)
  if (view.length <= 1 || draft.state.runBytes + runBytes(view) <= bytes) {
    for (const entry of wanted) if (!('position' in entry)) draft.storeMessage(entry)
    return { view, rebased: false }
  }
  const together: RunEntry[] = []
  let index = 0
  for (const run of view) {
    const length = runLength(planned, index, run)
    for (const entry of wanted.slice(index, index + length)) {
      if (!('position' in entry)) {
        together.push({ position: draft.storeMessage(entry), previous: -1 })
      } else {
        together.push(length >= SHORT_RUN ? entry : draft.moveMessage(entry))
      }
    }
    index += length
  }
  return { view: runsOf(together), rebased: true }
}

function runLength(entries: readonly RunEntry[], start: number, [, to]: Run): number {
  let end = start
  while (entries[end]?.position !== to) end++
  return end - start + 1
}
