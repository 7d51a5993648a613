import { StoreError } from '../errors/store-error.ts'
import type { NormalMessage } from '../normalise/normalise-message.ts'
import { normaliseMessage } from '../normalise/normalise-message.ts'
import { sameJson } from '../normalise/same-json.ts'
import type { SessionState } from '../view/session-state.ts'
import { describe } from '../errors/check-arguments.ts'

/**
 * Normalises the messages of a caller, now: what the caller does to them afterwards must not matter. A message that
 * says the same as the one that stands there already is taken from the view instead of being copied; the view is only
 * a hint here, and the plan compares again.
 *
 * @throws `INVALID_MESSAGE`, `INVALID_ARGUMENT`, `TOO_LARGE`
 */
export function internMessages<M extends object>(
  input: unknown,
  maxBytes: number,
  hint?: SessionState<M>,
): NormalMessage<M>[] {
  if (!Array.isArray(input))
    throw new StoreError('INVALID_ARGUMENT', `messages must be an array, got ${describe(input)}.`)
  const shift = hint === undefined ? 0 : hint.length - input.length
  // Not `map`, which passes over holes and leaves them.
  return Array.from(input, (message: unknown, index) => {
    return (
      known(hint, index, message) ??
      known(hint, index + shift, message) ??
      normaliseMessage<M>(message, `messages[${index}]`, maxBytes)
    )
  })
}

function known<M>(hint: SessionState<M> | undefined, index: number, message: unknown): NormalMessage<M> | undefined {
  if (hint === undefined || index < 0 || index >= hint.length) return undefined
  const stored = hint.messages[index] as M
  try {
    if (!sameJson(message, stored)) return undefined
  } catch {
    return undefined // a getter of the caller throws: whoever normalises it says so
  }
  return { message: stored, bytes: hint.entries.bytes(index) }
}
