import type { Random } from '@turnlog/conformance/random'

/** Stands for what somebody said: it may never be found in an error or in bytes of another session. */
export const SECRET = 'SECRET-7f3a91-of-another'

/** Something that takes bytes or texts from outside. */
export interface FuzzTarget {
  readonly name: string
  /** Share of the inputs, relative to the others: what is cheap gets more. */
  readonly weight: number
  /** Makes one input and feeds it. Rejections are judged by the caller; a returned text is a violation. */
  readonly feed: (random: Random) => Promise<string | undefined> | string | undefined
}
