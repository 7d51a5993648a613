import { StoreError } from '@turnlog/core/backend'

export interface Place {
  readonly file: string
  readonly session?: string
  readonly seq?: number
  readonly line?: number
}

/** The only kind of damage that may be deliberate: a person edited the line. */
export const WRONG_CHECKSUM = 'the line does not match its checksum'

/** The one way to say that a file is damaged: what is wrong, where, and what to do. */
export function corrupt(what: string, place: Place): StoreError {
  const line = place.line === undefined ? '' : `, line ${place.line}`
  // Where a file or a line is missing, there is nothing to mark.
  const advice =
    what === WRONG_CHECKSUM
      ? 'If it was edited on purpose, write "edited" in place of the checksum and run "turnlog repair"; otherwise restore the file from a backup.'
      : 'Restore the file from a backup, or run "turnlog repair --dry-run" to see what can be kept.'
  return new StoreError('CORRUPT', `${place.file}${line}: ${what}. ${advice}`, place)
}

/** The error for a session whose file is missing although the session was not erased. */
export function missingFile(file: string, session: string, last: number): StoreError {
  return corrupt(`the file is missing, but event ${last} had been recorded in it`, { file, session })
}
