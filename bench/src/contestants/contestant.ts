import type { Message } from 'turnlog'

/** What an acknowledged write survives: a power failure, the death of the process, nothing. */
export type Durability = 'sync' | 'os' | 'none'

/** Something that keeps conversations: a backend of Turnlog, or what a user would take instead. */
export interface Contestant {
  readonly id: string
  readonly label: string
  readonly durability: Durability
  /** What a reader of the table must know to judge the figure. */
  readonly note?: string
  /** Its storage is read and written in place; it is opened on the directory in which it was closed. */
  open(directory: string): Promise<Keeper>
}

/** An opened contestant. What a design cannot do is left out, and so is its row in the scenarios that need it. */
export interface Keeper {
  /** Work that is not to be measured, such as encoding for a contestant that shows the limit of the disk. */
  prepare?(messages: readonly Message[]): void
  /** Resolves when the message is kept, in the contestant's durability. */
  append(session: string, message: Message): Promise<void>
  /** All or nothing. */
  appendAll?(session: string, messages: readonly Message[]): Promise<void>
  read(session: string): Promise<readonly Message[]>
  /** What a limit does instead of a read where time is measured: it fetches and makes no messages. */
  touch?(session: string): Promise<void>
  /** Makes the history exactly this. */
  replace?(session: string, messages: readonly Message[]): Promise<void>
  /** Keeps a summary and the last messages only. */
  summarise?(session: string, summary: string, keepLast: number): Promise<void>
  /** Attaches metadata to a session. */
  describe?(session: string, metadata: Readonly<Record<string, unknown>>): Promise<void>
  /** The number of sessions, each with its count and its metadata. */
  list?(): Promise<number>
  close(): Promise<void>
}
