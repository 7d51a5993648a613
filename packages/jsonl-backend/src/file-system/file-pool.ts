import { join } from 'node:path'
import { LruMap } from '@turnlog/storage-kit'
import { LineOffsets } from './line-offsets.ts'
import type { FileStat, FileSystem, OpenFile, OpenFileOptions } from './file-system.ts'
import { systemCode } from './file-system.ts'

/** A file in use. Its holder releases it once. */
export interface Lease {
  readonly file: OpenFile
  /** Where lines of it begin, as far as anybody has looked. */
  readonly lineOffsets: LineOffsets
  release(): void
  /** Another lease on the same file, even if the name belongs to a new file by now. */
  share(): Lease
}

interface Slot {
  readonly path: string
  readonly file: OpenFile
  readonly lineOffsets: LineOffsets
  /** Read once, to see later whether the name still belongs to this file. */
  inode: number | undefined
  users: number
  /** Not found by name any more. The last user closes it. */
  retired: boolean
}

/** Open files by name, so that an append costs no open. Idle ones beyond the bound are closed, the oldest first. */
export class FilePool {
  readonly #fileSystem: FileSystem
  readonly #directory: string
  readonly #options: OpenFileOptions
  readonly #maxOpenFiles: number
  readonly #slots = new LruMap<Slot>(({ users }) => users > 0)
  readonly #retired = new Set<Slot>()

  constructor(fileSystem: FileSystem, directory: string, options: OpenFileOptions, maxOpenFiles: number) {
    this.#fileSystem = fileSystem
    this.#directory = directory
    this.#options = options
    this.#maxOpenFiles = maxOpenFiles
  }

  /** The file without waiting, if it is open, still has its name and has this size: then no other process changed it. */
  take(name: string, size: number): Lease | undefined {
    const slot = this.#slots.get(name)
    return slot !== undefined && this.#named(slot)?.size === size ? this.#lease(slot) : undefined
  }

  /** Opens the file, or shares it if it is open and still has its name. */
  async acquire(name: string): Promise<Lease> {
    const slot = this.#slots.get(name)
    if (slot !== undefined) {
      if (this.#named(slot) !== undefined) return this.#lease(slot)
      this.retire(name)
    }
    const file = await this.#open(name)
    const other = this.#slots.get(name)
    if (other === undefined) return this.adopt(name, file)
    // Take the lease before any await: until then the file could be closed and its descriptor reused by another session.
    const lease = this.#lease(other)
    closeQuietly(file)
    return lease
  }

  /** Takes over a file that was opened elsewhere. */
  adopt(name: string, file: OpenFile): Lease {
    this.retire(name)
    const path = join(this.#directory, name)
    const lineOffsets = new LineOffsets()
    const slot: Slot = { path, file, lineOffsets, inode: undefined, users: 0, retired: false }
    this.#slots.set(name, slot)
    const lease = this.#lease(slot)
    this.#closeIdle(this.#maxOpenFiles)
    return lease
  }

  /** The next `acquire` opens the file again; current users may go on. */
  retire(name: string): void {
    const slot = this.#slots.get(name)
    if (slot === undefined) return
    this.#slots.delete(name)
    slot.retired = true
    if (slot.users === 0) closeQuietly(slot.file)
    else this.#retired.add(slot)
  }

  /** Closes every file, in use or not: call it when nothing is in flight. */
  async close(): Promise<void> {
    const slots = [...this.#slots.values(), ...this.#retired]
    this.#slots.clear()
    this.#retired.clear()
    for (const slot of slots) slot.users = Infinity // a late release must not close it again
    await Promise.all(slots.map((slot) => slot.file.close()))
  }

  async #open(name: string): Promise<OpenFile> {
    const path = join(this.#directory, name)
    try {
      return await this.#fileSystem.open(path, this.#options)
    } catch (error) {
      const code = systemCode(error)
      if (code !== 'EMFILE' && code !== 'ENFILE') throw error
      this.#closeIdle(0)
      return await this.#fileSystem.open(path, this.#options)
    }
  }

  /**
   * The stat of the file by its name, `undefined` if the name belongs to another file or to none. The open file cannot
   * show this: one that an editor moved aside, or that has a second name in a backup, still accepts writes.
   */
  #named(slot: Slot): FileStat | undefined {
    const stat = this.#fileSystem.statNow(slot.path)
    slot.inode ??= slot.file.stat().inode
    return stat?.inode === slot.inode ? stat : undefined
  }

  #lease(slot: Slot): Lease {
    slot.users++
    let released = false
    const release = (): void => {
      if (released) return
      released = true
      slot.users--
      if (slot.users > 0) return
      if (slot.retired) {
        this.#retired.delete(slot)
        closeQuietly(slot.file)
      } else if (this.#slots.size > this.#maxOpenFiles) {
        this.#closeIdle(this.#maxOpenFiles)
      }
    }
    return { file: slot.file, lineOffsets: slot.lineOffsets, release, share: () => this.#lease(slot) }
  }

  #closeIdle(keep: number): void {
    this.#slots.shrink(keep, ({ file }) => closeQuietly(file))
  }
}

function closeQuietly(file: OpenFile): void {
  file.close().catch(() => undefined) // what matters has been synced before, or was never promised
}
