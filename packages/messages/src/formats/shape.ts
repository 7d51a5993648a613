import type { Fields } from './fields.ts'

/** One end of a pair: a call, or a result that answers one. */
export interface Link {
  readonly id: string
  /** Another key under which a result finds its call, where one of them has no id of its own. */
  readonly alias?: string
  /** Which part of the message it is; `UNKNOWN_PART` if only a custom `toolLinks` knows it. */
  readonly part: number
}

export const UNKNOWN_PART = -1

/** What a message leaves open towards others: a call and its result inside one message are in neither list. */
export interface Links {
  readonly calls: readonly Link[]
  readonly results: readonly Link[]
}

export const NO_LINKS: Links = Object.freeze({ calls: [], results: [] })

/** `inside` replaces the part of the call, `reply` is a message of its own. */
export type Answer = { readonly inside: readonly unknown[] } | { readonly reply: object }

/** What the rest of the module asks of a message format. Nothing here throws, whatever the message contains. */
export interface Shape {
  readonly name: string
  /** Calls and results are items of their own: those of one turn may stand in any order. */
  readonly isItems?: boolean
  /** Undefined if the message has no call and no result of this shape. */
  read(message: Fields): Links | undefined
  /** The message with parts replaced (by nothing: dropped); undefined if nothing is left of it. */
  rewrite(message: Fields, replacements: ReadonlyMap<number, readonly unknown[]>): object | undefined
  /** The message with these parts alone. */
  pick(message: Fields, parts: ReadonlySet<number>): object
  /** What stands for the result that never came; undefined if no honest result of this shape exists. */
  answer(message: Fields, call: Link): Answer | undefined
  /** Who speaks, where the message has no role that says so. */
  speaker?(message: Fields): 'user' | 'assistant' | undefined
  /** Adds replies to the message that carries results already, where the format wants them in one message. */
  join?(carrier: Fields, replies: readonly object[]): object | undefined
}
