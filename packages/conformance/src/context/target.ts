import type { Backend } from '@turnlog/core/backend'

export interface TargetContext {
  /** Private to one harness. Empty, unless a test comes back to a store that it made earlier: never wipe it. */
  readonly directory: string
  /** For whatever a target wants to choose at random, so that a failure can be repeated. */
  readonly seed: number
}

/** One storage and the means to come back to it. Every case gets its own. */
export interface Harness {
  /** Made, not yet opened. */
  readonly backend: Backend
  /** Closes the current backend if it is open and gives a new, opened one over the same storage. */
  reopen(): Promise<Backend>
  /**
   * Another backend object over the same storage, not opened.
   * Needed by every backend that is persistent: without it nothing is known about a second writer.
   */
  second?(options?: { readonly path?: string }): Promise<Backend>
  /**
   * Absolute paths of the files that hold data, to be damaged.
   * Needed by every backend that says `detectsDamage`.
   */
  files?(): Promise<readonly string[]>
  /** Closes everything it made and removes what lies outside `directory`. */
  destroy(): Promise<void>
}

/** What a backend's author gives to the suite, and to the benchmarks. */
export interface Target {
  readonly name: string
  /**
   * `file:` URL or absolute path of a module, in plain JavaScript, whose export `target` is this target.
   * Child processes and worker threads import it and call `create` on the same directory.
   * Needed by every backend that is persistent: without it nothing is known about crashes and other processes.
   */
  readonly module?: string
  create(context: TargetContext): Promise<Harness>
}
