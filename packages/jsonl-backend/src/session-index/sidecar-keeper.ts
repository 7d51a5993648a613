import type { Durability } from '@turnlog/core/backend'
import { SingleFlight } from '@turnlog/storage-kit'
import type { FileSystem } from '../file-system/file-system.ts'
import type { Entry } from './entry.ts'
import { parseCommitted, toKnown } from './entry.ts'
import { eraseFromSidecar, extendSidecar, loadSidecar, removeSidecar, replaceSidecar } from './sidecar.ts'

/** Writes after which the sidecar is brought up to date. */
const SAVE_AFTER = 1000

interface Options {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly durability: Durability
}

/** Brings the sidecar up to date with the entries of the index now and then. */
export class SidecarKeeper {
  readonly #options: Options
  readonly #entries: Map<string, Entry>
  #lines = 0
  /** The durability under which it was last written as a whole. */
  #mode: Durability | undefined
  readonly #saving = new SingleFlight<void>()
  /** Writes to sessions since it was last written. */
  #changes = 0

  constructor(options: Options, entries: Map<string, Entry>) {
    this.#options = options
    this.#entries = entries
  }

  /** Fills the entries with what it knows. @returns the durability under which it was written */
  async load(): Promise<Durability | undefined> {
    const { fileSystem, directory } = this.#options
    const sidecar = await loadSidecar(fileSystem, directory)
    this.#lines = sidecar?.lines ?? 0
    this.#mode = sidecar?.durability
    for (const [name, { stat, text }] of sidecar?.known ?? []) {
      this.#entries.set(name, { stat, committed: text, error: undefined, saved: true })
    }
    return sidecar?.durability
  }

  /** A session was written to. */
  changed(): void {
    this.#changes++
    // Without this, an open after a crash would have to inspect every session of a long run.
    if (this.#changes <= Math.max(SAVE_AFTER, this.#entries.size / 4)) return
    this.#changes = 0
    this.#saving.join(() => this.#save()).catch(() => undefined)
  }

  /** Removes a session, durably. Its entry is gone. */
  async forget(name: string): Promise<void> {
    const { fileSystem, directory } = this.#options
    await this.#saving.running?.catch(() => undefined) // it may be about to put the session back
    // Synced, and before the file goes: a missing file that the sidecar knows would count as a loss.
    try {
      await eraseFromSidecar(fileSystem, directory, name)
    } catch {
      // A sidecar that cannot be changed can still be removed; the files hold what it knew.
      if (await removeSidecar(fileSystem, directory)) await fileSystem.syncDirectory(directory)
      this.#mode = undefined
    }
  }

  save(): Promise<void> {
    return this.#saving.after(() => this.#save())
  }

  async #save(): Promise<void> {
    const { fileSystem, directory, durability } = this.#options
    const changed = [...this.#entries].filter(([, entry]) => !entry.saved && entry.committed !== undefined)
    if (changed.length === 0 && this.#mode === durability) return
    const stats = await fileSystem.stat(
      directory,
      changed.map(([name]) => name),
    )
    for (const [index, [, entry]] of changed.entries()) {
      const stat = stats[index]
      if (entry.error !== undefined) continue
      const committed = parseCommitted(entry)
      if (stat?.size === committed.size) entry.stat = { size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.inode }
    }
    const isGrown = this.#lines > 2 * this.#entries.size + 1000
    if (this.#mode !== durability || isGrown) {
      const all = [...this.#entries].flatMap(([name, entry]) => toKnown(name, entry))
      await replaceSidecar(fileSystem, directory, durability, all)
      this.#lines = all.length
      this.#mode = durability
    } else {
      const lines = changed.flatMap(([name, entry]) => toKnown(name, entry))
      await extendSidecar(fileSystem, directory, lines)
      this.#lines += lines.length
    }
    for (const [, entry] of changed) entry.saved = entry.stat !== undefined
  }
}
