import type { StoreError } from '../errors/store-error.ts'
import type { Problem } from './maintenance.ts'

/** What `verify` and `repair` report of an error. */
export function problemOf({ message, session, seq, file, line }: StoreError): Problem {
  return {
    message,
    ...(session === undefined ? undefined : { session }),
    ...(seq === undefined ? undefined : { seq }),
    ...(file === undefined ? undefined : { file }),
    ...(line === undefined ? undefined : { line }),
  }
}
