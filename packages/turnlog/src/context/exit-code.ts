import { isStoreError } from '@turnlog/core'
import type { StoreErrorCode } from '@turnlog/core'

/** What the command tells the shell. Part of the interface: scripts depend on it. */
export const EXIT = {
  ok: 0,
  problem: 1,
  usage: 2,
  locked: 3,
  damaged: 4,
  failed: 5,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const

export const EXIT_HELP = `Exit codes:
  0  done
  1  a problem was found, or there is no such session, or it changed meanwhile
  2  wrong usage: arguments, configuration, no store chosen
  3  the store is in use by another process
  4  the store is damaged, or a newer Turnlog wrote it
  5  the storage or the backend failed
  129, 130, 143  interrupted by SIGHUP, SIGINT (Ctrl-C), SIGTERM`

const CODES: Readonly<Record<StoreErrorCode, number>> = {
  CONFLICT: EXIT.problem,
  NOT_FOUND: EXIT.problem,
  TRIMMED: EXIT.problem,
  INVALID_KEY: EXIT.usage,
  INVALID_MESSAGE: EXIT.usage,
  INVALID_ARGUMENT: EXIT.usage,
  INVALID_CONFIG: EXIT.usage,
  BACKEND_NOT_FOUND: EXIT.usage,
  TOO_LARGE: EXIT.usage,
  READ_ONLY: EXIT.usage,
  LOCKED: EXIT.locked,
  CORRUPT: EXIT.damaged,
  UNSUPPORTED: EXIT.damaged,
  IO: EXIT.failed,
  OUTCOME_UNKNOWN: EXIT.failed,
  CLOSED: EXIT.failed,
  BACKEND_LOAD_FAILED: EXIT.failed,
  CONTRACT_MISMATCH: EXIT.failed,
}

export function exitCodeOf(error: unknown): number {
  return isStoreError(error) ? (CODES[error.code] ?? EXIT.failed) : EXIT.failed
}
