import type { Range, Sizes } from '@turnlog/core/backend'

import type { AppendRequest } from '../append/append-request.ts'
import type { HeadText } from '../format/session-row.ts'
import type { VerifiedSession } from '../maintenance/verify-session.ts'

export interface ReadPage {
  /** The JSON text of each event. */
  readonly texts: readonly string[]
  /** To go on with; missing when that was all. */
  readonly next?: number
}

type Later<T> = T | Promise<T>

/** What is asked of the thread that has the database. Arguments and results are plain data, or errors. */
export interface Engine {
  append(requests: readonly AppendRequest[]): Promise<readonly (Error | undefined)[]>
  head(session: string): Promise<HeadText | undefined>
  read(session: string, ranges: readonly Range[], options: { reverse: boolean; limit: number }): Promise<ReadPage>
  readNext(read: number): Promise<ReadPage>
  endRead(read: number): Later<void>
  list(prefix: string, after: string | undefined, limit: number): Promise<readonly HeadText[]>
  /** @returns the version that was found instead of the expected one */
  erase(session: string, expectedLast: number): Promise<number | undefined>
  watch(session: string): Later<void>
  unwatch(session: string): Later<void>
  verifyPages(): Promise<readonly string[]>
  verifySession(session: string): Promise<VerifiedSession>
  findOrphans(): Promise<readonly string[]>
  reclaim(): Promise<void>
  sizes(): Promise<Sizes>
  close(): Later<void>
}
