/** A session as its row has it. */
export interface SessionRow {
  /** Never given to another session. */
  readonly id: number
  readonly key: string
  /** One less than the first seq that the session ever had: the event with seq `base + n` has the number n. */
  readonly base: number
  readonly first: number
  readonly last: number
  readonly incarnation: string
  /** Of the texts of all events that can be read. */
  readonly bytes: number
  readonly crc: number
  /** JSON text. */
  readonly projection: string
}

export const SESSION_COLUMNS = 'id, key, base, first, last, incarnation, bytes, crc, projection'

/** A head, its projection as JSON text. */
export type HeadText = Omit<SessionRow, 'id' | 'base' | 'crc'>
