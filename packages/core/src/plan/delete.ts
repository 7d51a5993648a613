import type { Draft } from './draft.ts'

/** The session is gone from listings; one event stays, so that numbers are not used again. */
export function planDelete<M>(draft: Draft<M>, reason: string | undefined): boolean {
  const { state } = draft
  if (state.last === 0 || state.deleted) return false
  const removed = { removedEvents: state.last - state.first + 1, removedMessages: state.length }
  draft.trim(draft.add('SessionDeleted', { ...(reason === undefined ? undefined : { reason }), ...removed }))
  return true
}
