import { StoreError } from '../errors/store-error.ts'
import type { CutRequest } from '../events/session-event.ts'
import type { AddLimit, ViewLimit } from '../limits/view-limit.ts'
import { limitCut } from '../limits/view-limit.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import type { ToolLinksOf } from '@turnlog/messages'
import { planCut } from './cut.ts'
import type { Draft } from './draft.ts'

/**
 * One `MessageAdded` each, after a cut if the view would become too large for the session's limit. The cut comes first,
 * so that the last message's position is the version that results; only an addition that is too large by itself is cut
 * once more behind it.
 *
 * @throws `TOO_LARGE` for a message that no view within the limit could hold
 */
export function planAddMessages<M extends object>(
  session: string,
  draft: Draft<M>,
  messages: readonly NormalMessage<M>[],
  { cutAt, refuseOver }: AddLimit,
  toolLinks: ToolLinksOf | undefined,
): void {
  for (const { bytes } of messages) if (bytes > refuseOver) throw tooLarge(session, bytes, refuseOver)
  // That cut is the store's own doing, not part of what the caller's operation id stands for.
  const { operation } = draft
  draft.operation = undefined
  cutToLimit(draft, messages, cutAt, toolLinks)
  draft.operation = operation
  for (const message of messages) draft.addMessage(message)
  // This one is the last event, and so the version that a repeat of the operation has to be answered with.
  if (messages.length > 1) cutToLimit(draft, [], cutAt, toolLinks)
}

function cutToLimit<M extends object>(
  draft: Draft<M>,
  coming: readonly NormalMessage<M>[],
  limit: ViewLimit,
  toolLinks: ToolLinksOf | undefined,
): void {
  const cut = limitCut(draft.state, coming, limit, toolLinks)
  if (cut === undefined) return
  const asked = { [cut.exceeded]: limit[cut.exceeded] } as unknown as CutRequest
  planCut(draft, { ...cut, asked })
}

function tooLarge(session: string, bytes: number, maxSessionBytes: number): StoreError {
  return new StoreError(
    'TOO_LARGE',
    `A message of ${bytes} bytes does not fit into session ${JSON.stringify(session)}, whose limits.maxSessionBytes is ${maxSessionBytes}. Shorten it or raise the limit.`,
    { session },
  )
}
