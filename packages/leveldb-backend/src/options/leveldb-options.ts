import { aBoolean, aDurability, checkBackendOptions, pathOf, wholeNumberBetween } from '@turnlog/core/backend'
import type { BackendOptions, BackendRules } from '@turnlog/core/backend'

/** How a store in LevelDB is kept. The sizes change speed and memory, never an answer. */
export interface LevelDbOptions {
  /** The directory of the store. It is made if it is missing; it must be empty or hold a Turnlog store. */
  readonly path: string
  /**
   * What an acknowledged append survives: `sync` a power failure, `os` the death of the process. `sync` costs one
   * `fdatasync` per group of appends, a quarter of a millisecond and more on most disks; `os` costs none.
   * On macOS LevelDB does not flush the drive's own cache, so `sync` there is no more than `os` is elsewhere.
   * @default 'sync'
   */
  readonly durability?: 'sync' | 'os'
  /**
   * Memory for blocks that were read. What is read often is in the view cache of the store, and the operating system
   * keeps the files: with 64 MiB neither reading nor listing a million events was faster. @default 8 MiB
   */
  readonly cacheBytes?: number
  /**
   * What is gathered in memory before a table is written. It is held up to twice, and opening after a crash reads that
   * much log again (about 10 ms per MiB); smaller means more, smaller tables and more rewriting. @default 16 MiB
   */
  readonly writeBufferBytes?: number
  /** The unit of reading and compressing. Larger compresses better, smaller reads less for a small session. @default 16 KiB */
  readonly blockBytes?: number
  /** The size of a table. Larger means fewer files and longer single compactions. @default 16 MiB */
  readonly maxFileBytes?: number
  /** Compress tables with snappy: about half the disk for text, and a few microseconds per block read. @default true */
  readonly compression?: boolean
  /**
   * Write zeros ahead of LevelDB's log, so that a sync takes two thirds of the time for callers that wait for each
   * append. It writes into a file that LevelDB has open; what that risks is in docs/decisions/0007. Linux and `sync` only.
   * @default false
   */
  readonly preallocateLog?: boolean
}

declare module '@turnlog/core/backend' {
  interface BackendRegistry {
    leveldb: LevelDbOptions
  }
}

export type CheckedOptions = Required<LevelDbOptions>

const MIB = 1024 * 1024

/** Limits that LevelDB itself would silently clip to, or that would not fit its 32-bit options. */
const RULES: BackendRules = {
  path: pathOf('the directory of the store'),
  durability: { ...aDurability, fallback: 'sync' },
  cacheBytes: { ...wholeNumberBetween('bytes', 0, 2048 * MIB), fallback: 8 * MIB },
  writeBufferBytes: { ...wholeNumberBetween('bytes', 64 * 1024, 1024 * MIB), fallback: 16 * MIB },
  blockBytes: { ...wholeNumberBetween('bytes', 1024, 4 * MIB), fallback: 16 * 1024 },
  maxFileBytes: { ...wholeNumberBetween('bytes', MIB, 1024 * MIB), fallback: 16 * MIB },
  compression: { ...aBoolean, fallback: true },
  preallocateLog: { ...aBoolean, fallback: false },
}

/** @throws `INVALID_CONFIG` */
export function checkOptions(options: BackendOptions | LevelDbOptions): CheckedOptions {
  const checked = checkBackendOptions('leveldb', options, RULES) as CheckedOptions
  const { preallocateLog, durability } = checked
  // Other systems treat zeros in their own way, and without syncs there is nothing to gain.
  return { ...checked, preallocateLog: preallocateLog && durability === 'sync' && process.platform === 'linux' }
}
