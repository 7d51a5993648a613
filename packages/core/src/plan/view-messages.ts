import type { SessionState, StoredMessage } from '../view/session-state.ts'

/** A part of the view as entries together with their messages. */
export function viewMessages<M>(state: SessionState<M>, start = 0, end: number = state.length): StoredMessage<M>[] {
  const part: StoredMessage<M>[] = []
  for (let i = start; i < end; i++) part.push({ ...state.entries.at(i), message: state.messages[i] as M })
  return part
}
