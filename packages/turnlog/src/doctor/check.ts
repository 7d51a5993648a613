/** One finding about the environment or the store. */
export interface Check {
  readonly name: string
  /** `problem`: something does not work; `notice`: it works, but should be known. */
  readonly status: 'ok' | 'notice' | 'problem'
  readonly message: string
}
