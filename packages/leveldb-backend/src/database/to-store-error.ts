import { StoreError } from '@turnlog/core/backend'

interface WithCode {
  readonly code?: unknown
  readonly cause?: unknown
  readonly message?: unknown
}

/** LevelDB's own code; classic-level puts the true reason of a failed open into `cause`. */
export function levelCode(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as WithCode
  const inner = ((cause ?? {}) as WithCode).code
  if (code === 'LEVEL_DATABASE_NOT_OPEN' && typeof inner === 'string') return inner
  return typeof code === 'string' ? code : undefined
}

/** A failure of LevelDB as one of ours. */
export function fromLevel(error: unknown, what: string, location: string): StoreError {
  if (levelCode(error) === 'LEVEL_CORRUPTION') {
    return new StoreError('CORRUPT', `Cannot ${what} in ${location}: LevelDB found damage. Run verify, then repair.`, {
      cause: error,
    })
  }
  return new StoreError('IO', `Cannot ${what} in ${location}: the storage failed. See the cause.`, { cause: error })
}

/** What it all began with: the reason that the system gave, below the words of those who passed it on. */
export function rootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error
}
