/** Something that went on working and that the owner of the store should know all the same. */
export interface StoreWarning {
  /** API, like the codes of errors. */
  readonly code: string
  /** One or two sentences for a person: what happened and what to do. No message contents. */
  readonly message: string
  readonly session?: string
}
