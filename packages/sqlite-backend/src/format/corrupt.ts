import { StoreError } from '@turnlog/core/backend'

const ADVICE = 'Restore it from a backup, or run `turnlog repair` on the closed store'

/** @param what completes the sentence "... is damaged: " */
export function corrupt(what: string, details: { session?: string; seq?: number; file?: string } = {}): StoreError {
  const subject = details.session === undefined ? 'The store' : `Session ${JSON.stringify(details.session)}`
  return new StoreError('CORRUPT', `${subject} is damaged: ${what}. ${ADVICE}.`, details)
}
