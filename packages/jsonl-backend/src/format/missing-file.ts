import type { StoreError } from '@turnlog/core/backend'
import { corrupt } from './corrupt.ts'

/** The file of a session is gone, and nobody erased it. */
export function missingFile(file: string, session: string, last: number): StoreError {
  return corrupt(`the file is missing, but event ${last} had been recorded in it`, { file, session })
}
