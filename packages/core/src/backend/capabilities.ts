/**
 * What survives what. A backend has one mode for all its writes, fixed when it is created.
 * @case none (a name); capabilities.fixed
 */
export type Durability = 'none' | 'os' | 'sync'

/**
 * What a backend says of itself, known before it is opened and never changed afterwards.
 * The conformance suite tests each one, and its opposite where it is false.
 * @case capabilities.complete capabilities.fixed; volatile.reopened-empty readers.refused capabilities.consistent
 */
export interface Capabilities {
  /**
   * Events are still there after `close` and `open`. If false, a reopened backend is empty.
   * @case persistent.*; volatile.reopened-empty
   */
  readonly persistent: boolean
  /**
   * What a resolved `append` survives: `sync` a power failure, `os` the death of the process, `none` neither.
   * @case durability.killed capabilities.consistent
   */
  readonly durability: Durability
  /**
   * `exclusive`: one open writer; a second `open` is refused with `LOCKED`, wherever it comes from, and the refusal
   * leaves the owner protected. `shared`: any number of writers, fenced by compare-and-append.
   * @case exclusive.* readers.leave-owner-protected; shared.*
   */
  readonly access: 'exclusive' | 'shared'
  /**
   * A read-only `open` succeeds while a writer is open elsewhere. If false it is `LOCKED`.
   * @case readers.allowed readers.sessions-come-and-go; readers.refused
   */
  readonly concurrentReaders: boolean
  /**
   * Damaged storage is reported as `CORRUPT`, never as fewer or different events or heads. If false, damage gives
   * heads and events of the right types, whatever their values, or a `StoreError`, and no other error.
   * @case corruption.*; corruption.without-promise
   */
  readonly detectsDamage: boolean
}
