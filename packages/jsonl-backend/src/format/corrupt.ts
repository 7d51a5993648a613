import { StoreError } from '@turnlog/core/backend'

export interface Place {
  readonly file: string
  readonly session?: string
  readonly seq?: number
  readonly line?: number
}

/** The one way to say that a file is damaged: what is wrong, where, and what to do. */
export function corrupt(what: string, place: Place): StoreError {
  const line = place.line === undefined ? '' : `, line ${place.line}`
  return new StoreError(
    'CORRUPT',
    `${place.file}${line}: ${what}. If it was edited on purpose, write "edited" in place of the checksum and run "turnlog repair"; otherwise restore the file from a backup.`,
    place,
  )
}
