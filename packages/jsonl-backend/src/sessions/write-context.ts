import type { Durability } from '@turnlog/core/backend'
import type { SessionIndex } from '../session-index/session-index.ts'
import type { FilePool } from '../file-system/file-pool.ts'
import type { FileSystem } from '../file-system/file-system.ts'

/** What the sessions of one open directory share. */
export interface WriteContext {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly durability: Durability
  readonly pool: FilePool
  /** Makes names durable that were given, changed or taken away in the directory before the call. */
  syncDirectory(): Promise<void>
  readonly sessionIndex: SessionIndex
  /** Share of trimmed bytes in a file above which it is rewritten; 1: never. */
  readonly rewriteWhenTrimmed: number
}
