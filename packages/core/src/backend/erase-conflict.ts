import { StoreError } from '../errors/store-error.ts'

/** The error of an erasure that found another version than the caller expected. */
export function eraseConflict(session: string, expected: number, actual: number): StoreError {
  return new StoreError(
    'CONFLICT',
    `Cannot erase session ${JSON.stringify(session)}: expected version ${expected}, found ${actual}. Read again and retry.`,
    { session, expected, actual },
  )
}
