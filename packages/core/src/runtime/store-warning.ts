/** Something that went on working and that the owner of the store should know all the same. */
export interface StoreWarning {
  /** API, like the codes of errors. */
  readonly code: string
  /** One or two sentences for a person: what happened and what to do. No message contents. */
  readonly message: string
  readonly session?: string
  /** The error behind it, as it was thrown; one from your own callback may say anything. */
  readonly cause?: unknown
}
