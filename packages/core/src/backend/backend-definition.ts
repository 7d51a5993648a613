import type { Backend } from './backend.ts'
import type { Durability } from './capabilities.ts'

/** What `openStore` hands to a backend that is chosen by name. */
export interface BackendOptions {
  readonly path?: string
  readonly durability?: Exclude<Durability, 'none'>
  readonly [option: string]: unknown
}

/** Who has a store open, as far as it can be told without opening it. */
export interface LockDescription {
  /** `stale`: the owner is dead, and the next one takes over. `unknown`: it cannot be seen from here. */
  readonly state: 'free' | 'held' | 'stale' | 'unknown'
  /** To be deleted by hand if the owner is dead and nobody can see that. */
  readonly file?: string
  readonly pid?: number
  readonly host?: string
  readonly since?: string
}

/** Where a store lies, and what is there now. */
export interface StorePlace {
  readonly directory: string
  /** `missing`: no such directory; `file`: no directory; `other`: files, but no store of this backend. */
  readonly found: 'store' | 'empty' | 'missing' | 'file' | 'other'
}

/**
 * What a backend package exports as `backend`, so that it can be chosen by name in a configuration.
 * `create` checks its options and rejects bad ones with `INVALID_CONFIG`.
 */
export interface BackendDefinition {
  readonly name: string
  readonly contract: 1
  create(options: BackendOptions): Backend
  /** For a backend that keeps each store in a directory. @throws `IO` */
  storePlace?(options: BackendOptions): StorePlace | undefined
  /** For a backend whose stores have one owner at a time. Changes nothing. */
  describeLock?(directory: string): Promise<LockDescription>
}
