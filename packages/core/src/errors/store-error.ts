/** Every way in which Turnlog can refuse or fail. Codes are API; messages are not. */
export type StoreErrorCode =
  | 'CONFLICT'
  | 'CLOSED'
  | 'LOCKED'
  | 'CORRUPT'
  | 'UNSUPPORTED'
  | 'NOT_FOUND'
  | 'TRIMMED'
  | 'INVALID_KEY'
  | 'INVALID_MESSAGE'
  | 'INVALID_ARGUMENT'
  | 'INVALID_CONFIG'
  | 'TOO_LARGE'
  | 'IO'
  | 'OUTCOME_UNKNOWN'
  | 'READ_ONLY'
  | 'BACKEND_NOT_FOUND'
  | 'BACKEND_LOAD_FAILED'
  | 'CONTRACT_MISMATCH'

/** What a program may want to know beside the code. Never the contents of a message. */
export interface StoreErrorDetails {
  /** The session that the operation was about. */
  readonly session?: string
  /** `CONFLICT`: the version that the caller expected. */
  readonly expected?: number
  /** `CONFLICT`: the version that the session really has. */
  readonly actual?: number
  /** `CORRUPT`: the first event that is damaged or missing. */
  readonly seq?: number
  /** File that the problem was found in. */
  readonly file?: string
  /** Line of that file, counted from 1. */
  readonly line?: number
  readonly cause?: unknown
}

/** Survives two copies of this package in one process, which `instanceof` does not. */
const BRAND: symbol = Symbol.for('turnlog.StoreError')

/** The only error class of Turnlog. Recognise it with {@link isStoreError}, never with `instanceof`. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  readonly session?: string
  readonly expected?: number
  readonly actual?: number
  readonly seq?: number
  readonly file?: string
  readonly line?: number

  constructor(code: StoreErrorCode, message: string, details: StoreErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    Object.defineProperty(this, BRAND, { value: true })
    this.code = code
    if (details.session !== undefined) this.session = details.session
    if (details.expected !== undefined) this.expected = details.expected
    if (details.actual !== undefined) this.actual = details.actual
    if (details.seq !== undefined) this.seq = details.seq
    if (details.file !== undefined) this.file = details.file
    if (details.line !== undefined) this.line = details.line
  }

  override get name(): string {
    return `StoreError [${this.code}]`
  }
}

/** Whether `error` is one of ours and, if `code` is given, that one. */
export function isStoreError<Code extends StoreErrorCode = StoreErrorCode>(
  error: unknown,
  code?: Code,
): error is StoreError & { readonly code: Code } {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false
  return code === undefined || (error as StoreError).code === code
}
