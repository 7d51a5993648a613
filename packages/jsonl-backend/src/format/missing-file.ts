import type { StoreError } from '@turnlog/core/backend'
import { corrupt } from './corrupt.ts'

/** The error for a session whose file is missing although the session was not erased. */
export function missingFile(file: string, session: string, last: number): StoreError {
  return corrupt(`the file is missing, but event ${last} had been recorded in it`, { file, session })
}
