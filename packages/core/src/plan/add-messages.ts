import type { NormalMessage } from '../normalise/normalise-message.ts'
import type { Draft } from './draft.ts'

/** One `MessageAdded` each. */
export function planAddMessages<M extends object>(draft: Draft<M>, messages: readonly NormalMessage<M>[]): void {
  for (const { message, bytes } of messages) draft.addMessage(message, bytes)
}
