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
