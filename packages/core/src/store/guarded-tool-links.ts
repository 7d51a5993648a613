import { StoreError } from '../errors/store-error.ts'
import type { ToolLinksOf } from '@turnlog/messages'

/** The caller's own `toolLinks`, whose errors are told from ours. What they say stays in the cause. */
export function guardedToolLinks(ask: ToolLinksOf | undefined): ToolLinksOf | undefined {
  if (ask === undefined) return undefined
  return (message) => {
    try {
      return ask(message)
    } catch (error) {
      throw new StoreError(
        'INVALID_CONFIG',
        'The option toolLinks threw an error; see the cause. It is asked about messages of every shape, and gives undefined for those that it does not know.',
        { cause: error },
      )
    }
  }
}
