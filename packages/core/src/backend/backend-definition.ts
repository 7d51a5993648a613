import type { Backend } from './backend.ts'
import type { Durability } from './capabilities.ts'

/** What `openStore` hands to a backend that is chosen by name. */
export interface BackendOptions {
  readonly path?: string
  readonly durability?: Exclude<Durability, 'none'>
  readonly [option: string]: unknown
}

/**
 * What a backend package exports as `backend`, so that it can be chosen by name in a configuration.
 * `create` checks its options and rejects bad ones with `INVALID_CONFIG`.
 */
export interface BackendDefinition {
  readonly name: string
  readonly contract: 1
  create(options: BackendOptions): Backend
}
