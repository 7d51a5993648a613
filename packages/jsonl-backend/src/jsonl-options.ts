import type { BackendOptions } from '@turnlog/core/backend'
import { StoreError } from '@turnlog/core/backend'

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

const KNOWN: ReadonlySet<string> = new Set(['path', 'durability', 'maxOpenFiles', 'rewriteWhenTrimmed'])

/** Checks options from outside and fills in the defaults. @throws `INVALID_CONFIG` */
export function checkOptions(options: JsonlOptions | BackendOptions): Required<JsonlOptions> {
  const { path, durability = 'sync', maxOpenFiles = 256, rewriteWhenTrimmed = 0.5 } = options as Record<string, unknown>
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) throw invalid(name, 'is unknown', `Known: ${[...KNOWN].join(', ')}`)
  }
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw invalid('path', `is ${JSON.stringify(path)}`, 'Give the directory of the session files')
  }
  if (durability !== 'sync' && durability !== 'os') {
    throw invalid('durability', `is ${JSON.stringify(durability)}`, "Use 'sync' or 'os'")
  }
  if (typeof maxOpenFiles !== 'number' || !Number.isSafeInteger(maxOpenFiles) || maxOpenFiles < 1) {
    throw invalid('maxOpenFiles', `is ${JSON.stringify(maxOpenFiles)}`, 'Use a whole number, 1 or more')
  }
  if (typeof rewriteWhenTrimmed !== 'number' || !(rewriteWhenTrimmed >= 0 && rewriteWhenTrimmed <= 1)) {
    throw invalid('rewriteWhenTrimmed', `is ${JSON.stringify(rewriteWhenTrimmed)}`, 'Use a number from 0 to 1')
  }
  return { path, durability, maxOpenFiles, rewriteWhenTrimmed }
}

function invalid(option: string, what: string, advice: string): StoreError {
  return new StoreError('INVALID_CONFIG', `Option ${option} of the jsonl backend ${what}. ${advice}.`)
}
