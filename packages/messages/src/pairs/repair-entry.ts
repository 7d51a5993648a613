/** A message on its way through the passes of a repair. */
export interface RepairEntry {
  readonly message: object
  /** Its place in the input; `MADE_UP` for an answer that was added. */
  readonly index: number
}

export const MADE_UP = -1
