import { aDurability, checkBackendOptions, numberBetween, pathOf, wholeNumberBetween } from '@turnlog/core/backend'
import type { BackendOptions, BackendRules } from '@turnlog/core/backend'

export interface JsonlOptions {
  /** Directory of the session files. Made if it is not there. One writing process at a time. */
  readonly path: string
  /**
   * `sync`: a resolved append survives a power failure; it costs one synced write of the disk.
   * `os`: it survives the death of the process; a power failure may take the last seconds.
   * @default 'sync'
   */
  readonly durability?: 'sync' | 'os'
  /**
   * Files kept open between operations. Each costs a descriptor; a session that is not among them costs an open
   * before its next append.
   * @default 256
   */
  readonly maxOpenFiles?: number
  /**
   * A file is rewritten without its trimmed events when they are more than this share of it, in the background after
   * the append that trimmed. Lower frees space sooner and copies more; 1 never rewrites by itself.
   * @default 0.5
   */
  readonly rewriteWhenTrimmed?: number
}

declare module '@turnlog/core/backend' {
  interface BackendRegistry {
    jsonl: JsonlOptions
  }
}

const RULES: BackendRules = {
  path: pathOf('the directory of the session files'),
  durability: { ...aDurability, fallback: 'sync' },
  maxOpenFiles: { ...wholeNumberBetween('files', 1, Number.MAX_SAFE_INTEGER), fallback: 256 },
  rewriteWhenTrimmed: { ...numberBetween(0, 1), fallback: 0.5 },
}

/** Checks options from outside and fills in the defaults. @throws `INVALID_CONFIG` */
export function checkOptions(options: JsonlOptions | BackendOptions): Required<JsonlOptions> {
  return checkBackendOptions('jsonl', options, RULES) as Required<JsonlOptions>
}
