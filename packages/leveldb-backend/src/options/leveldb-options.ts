import { StoreError } from '@turnlog/core/backend'
import type { BackendOptions } from '@turnlog/core/backend'

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
const SIZES = {
  cacheBytes: { fallback: 8 * MIB, least: 0, most: 2048 * MIB },
  writeBufferBytes: { fallback: 16 * MIB, least: 64 * 1024, most: 1024 * MIB },
  blockBytes: { fallback: 16 * 1024, least: 1024, most: 4 * MIB },
  maxFileBytes: { fallback: 16 * MIB, least: MIB, most: 1024 * MIB },
} as const

/** @throws `INVALID_CONFIG` */
export function checkOptions(options: BackendOptions | LevelDbOptions): CheckedOptions {
  const given: BackendOptions = { ...options }
  const { path, durability = 'sync' } = given
  const compression = given['compression'] ?? true
  const preallocateLog = given['preallocateLog'] ?? false
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw invalid('path', path, 'Give the directory of the store')
  }
  if (durability !== 'sync' && durability !== 'os') throw invalid('durability', durability, "Use 'sync' or 'os'")
  if (typeof compression !== 'boolean') throw invalid('compression', compression, 'Use true or false')
  if (typeof preallocateLog !== 'boolean') throw invalid('preallocateLog', preallocateLog, 'Use true or false')
  for (const name of Object.keys(given)) {
    if (!(name in SIZES) && !['path', 'durability', 'compression', 'preallocateLog'].includes(name)) {
      throw new StoreError('INVALID_CONFIG', `Unknown option ${JSON.stringify(name)} for the LevelDB backend.`)
    }
  }
  const size = (name: keyof typeof SIZES): number => {
    const value = given[name] ?? SIZES[name].fallback
    const { least, most } = SIZES[name]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
      throw invalid(name, value, `Use a whole number of bytes from ${least} to ${most}`)
    }
    return value
  }
  return {
    path,
    durability,
    compression,
    // Other systems treat zeros in their own way, and without syncs there is nothing to gain.
    preallocateLog: preallocateLog && durability === 'sync' && process.platform === 'linux',
    cacheBytes: size('cacheBytes'),
    writeBufferBytes: size('writeBufferBytes'),
    blockBytes: size('blockBytes'),
    maxFileBytes: size('maxFileBytes'),
  }
}

function invalid(name: string, value: unknown, advice: string): StoreError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return new StoreError('INVALID_CONFIG', `The option ${name} of the LevelDB backend is ${shown}. ${advice}.`)
}
