import type { FileSystem } from '../file-system/file-system.ts'

type Listener = (name: string | undefined, error?: unknown) => void

/** One watcher of the directory for all waiters. It watches names, because a rewrite replaces the file. */
export class DirectoryWatch {
  readonly #fileSystem: FileSystem
  readonly #directory: string
  readonly #listeners = new Set<Listener>()
  #stop: (() => void) | undefined

  constructor(fileSystem: FileSystem, directory: string) {
    this.#fileSystem = fileSystem
    this.#directory = directory
  }

  /** Returns how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#stop ??= this.#fileSystem.watch(
      this.#directory,
      (name) => this.#inform(name),
      (error) => this.#inform(undefined, error),
    )
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopWatching()
    }
  }

  /** Ends every wait with the error. */
  close(error: unknown): void {
    this.#inform(undefined, error)
    this.#listeners.clear()
    this.#stopWatching()
  }

  #inform(name: string | undefined, error?: unknown): void {
    for (const listener of this.#listeners) listener(name, error)
  }

  #stopWatching(): void {
    this.#stop?.()
    this.#stop = undefined
  }
}

/** Yields once for all changes since the last one; ends when `signal` aborts, rejects when the watch is closed. */
export async function* changesOf(watch: DirectoryWatch, name: string, signal: AbortSignal): AsyncGenerator<void> {
  let isDue = false
  let failure: { readonly error: unknown } | undefined
  let wakeUp: () => void = () => undefined
  const notify = (): void => wakeUp()
  const stop = watch.listen((changed, error) => {
    if (error !== undefined) failure = { error }
    else if (changed === undefined || changed === name || changed === `${name}.tmp`) isDue = true
    else return
    notify()
  })
  signal.addEventListener('abort', notify)
  try {
    for (;;) {
      if (signal.aborted) return
      if (failure !== undefined) throw failure.error
      if (isDue) {
        isDue = false
        yield
        continue
      }
      await new Promise<void>((resolve) => {
        wakeUp = resolve
      })
    }
  } finally {
    signal.removeEventListener('abort', notify)
    stop()
  }
}
