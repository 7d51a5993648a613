import type { FileSystem } from './file-system.ts'

/** Syncs a directory once for all who ask while a sync is under way. */
export class DirectorySync {
  readonly #fileSystem: FileSystem
  readonly #directory: string
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(fileSystem: FileSystem, directory: string) {
    this.#fileSystem = fileSystem
    this.#directory = directory
  }

  /** Resolves after a sync that began after the call. */
  sync(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    // A sync under way may have looked before our change: only the one after it counts.
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#next
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#fileSystem.syncDirectory(this.#directory).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
