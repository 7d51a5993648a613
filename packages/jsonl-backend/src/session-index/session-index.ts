import { join } from 'node:path'
import type { Durability, OpenFinding, StoreError } from '@turnlog/core/backend'
import type { FileStat, FileSystem } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { decodeFileName } from '../format/file-name.ts'
import { missingFile } from '../format/corrupt.ts'
import type { Committed } from '../format/committed.ts'
import type { Entry } from './entry.ts'
import { isSame, parseCommitted, sessionOf } from './entry.ts'
import type { Listed } from './listed.ts'
import { indexFile } from './index-file.ts'
import { SharedScans } from './shared-scans.ts'
import { SidecarKeeper } from './sidecar-keeper.ts'
import { SortedSessions } from './sorted-sessions.ts'

export interface IndexOptions {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly durability: Durability
  /** Whether this process owns the directory: then no other process changes a file. */
  readonly write: boolean
}

export interface ScanMode {
  /** No process writes here, so a missing file is lost and not erased. */
  readonly hasNoWriter: boolean
  /** Something was written in `os` mode, so a power failure may have taken acknowledged events. */
  readonly mayHaveLost: boolean
}

const BESIDE_A_WRITER: ScanMode = { hasNoWriter: false, mayHaveLost: false }

/** Files inspected in parallel: twice the threads of the thread pool, so that none is idle. */
const PARALLEL = 8

/** What is in the directory: a head for each session, checked against the files, which are the truth. */
export class SessionIndex {
  readonly #options: IndexOptions
  readonly #entries = new Map<string, Entry>()
  readonly #sorted = new SortedSessions(this.#entries)
  readonly #sidecar: SidecarKeeper
  readonly #scans = new SharedScans<readonly OpenFinding[]>()

  constructor(options: IndexOptions) {
    this.#options = options
    this.#sidecar = new SidecarKeeper(options, this.#entries)
  }

  get sessions(): number {
    return this.#entries.size
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Reads the directory for the first time. */
  async load(hasNoWriter: boolean): Promise<OpenFinding[]> {
    const { fileSystem, directory, durability, write } = this.#options
    const savedIn = await this.#sidecar.load()
    for (const name of this.#entries.keys()) this.#sorted.changed(name)
    const findings = await this.refresh({ hasNoWriter, mayHaveLost: durability === 'os' || savedIn === 'os' })
    if (write) {
      for (const name of await fileSystem.list(directory)) {
        if (/^turnlog\.(?:heads|lock\.[0-9a-f]+)\.tmp$|\.jsonl\.tmp$/.test(name)) {
          await removeIfThere(fileSystem, join(directory, name))
        }
      }
    }
    return findings
  }

  /** Compares every entry with its file and looks into the files that changed. */
  async refresh(scanMode: ScanMode): Promise<OpenFinding[]> {
    const { names, findings } = await this.#present(scanMode)
    return [...findings, ...(await this.#lookAt(names, scanMode))]
  }

  /** For a reader beside a writer: which sessions there are. What is in them is for {@link refreshFiles}. */
  async refreshNames(): Promise<void> {
    const { names } = await this.#present(BESIDE_A_WRITER)
    const unknown = names.filter((name) => this.#entries.get(name)?.error !== undefined || !this.#entries.has(name))
    await this.#lookAt(unknown, BESIDE_A_WRITER)
  }

  async refreshFiles(names: readonly string[]): Promise<void> {
    await this.#lookAt(names, BESIDE_A_WRITER)
  }

  /** The session files that there are; entries without one are dealt with. */
  async #present({ hasNoWriter, mayHaveLost }: ScanMode): Promise<{ names: string[]; findings: OpenFinding[] }> {
    const { fileSystem, directory } = this.#options
    const names = (await fileSystem.list(directory)).filter((name) => this.#entries.has(name) || decodeFileName(name))
    const present = new Set(names)
    const absent: string[] = []
    for (const name of this.#entries.keys()) if (!present.has(name)) absent.push(name)
    // The listing shows the moment it began: a session that was found since is not missing.
    const stats = absent.length === 0 ? [] : await fileSystem.stat(directory, absent)
    const findings: OpenFinding[] = []
    for (const [index, name] of absent.entries()) {
      const entry = this.#entries.get(name)
      if (entry === undefined || entry.isLost === true || stats[index] !== undefined) continue
      // A file without one whole batch held nothing that was acknowledged.
      if (!hasNoWriter || mayHaveLost || entry.committed === undefined) this.#delete(name)
      if (!hasNoWriter || entry.committed === undefined) continue
      const { session, head } = parseCommitted(entry)
      const file = join(directory, name)
      if (mayHaveLost) {
        const message = `The file of session ${JSON.stringify(session)} is missing; it was written without waiting for the disk and is lost.`
        findings.push({ kind: 'lost-tail', message, session, file })
      } else {
        entry.isLost = true
        entry.error = missingFile(file, session, head.last)
      }
    }
    return { names, findings }
  }

  async #lookAt(names: readonly string[], scanMode: ScanMode): Promise<OpenFinding[]> {
    const { fileSystem, directory, write } = this.#options
    const stats = await fileSystem.stat(directory, names)
    const findings: OpenFinding[] = []
    const changed = names.filter((name, index) => {
      const entry = this.#entries.get(name)
      return entry === undefined || entry.error !== undefined || !isSame(entry.stat, stats[index])
    })
    const scan = async (): Promise<void> => {
      for (let name; (name = changed.pop()) !== undefined;) {
        const found = await this.#inspect(name, scanMode)
        if (scanMode.hasNoWriter || write) findings.push(...found)
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, scan))
    return findings
  }

  /** Nothing is known that speaks against using the session, if there is one. */
  isReadable(name: string): boolean {
    return this.#entries.get(name)?.error === undefined
  }

  /** The same without waiting; `undefined` as well if the file has to be looked at first. */
  peek(name: string): Committed | undefined {
    const entry = this.#entries.get(name)
    return entry === undefined || entry.error !== undefined ? undefined : parseCommitted(entry)
  }

  /** What a session's file holds. @throws `CORRUPT`, `UNSUPPORTED`, `IO` if that cannot be said */
  async get(name: string): Promise<Committed | undefined> {
    // Damage stays; a file that could not be opened may open now.
    if (this.#entries.get(name)?.error?.code === 'IO') await this.#inspect(name)
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (entry.error !== undefined) throw entry.error
    return parseCommitted(entry)
  }

  /** Looks into a file that is not as we left it. */
  async reload(name: string): Promise<Committed | undefined> {
    await this.#inspect(name)
    return this.get(name)
  }

  /** The file is not there: fine, unless it should be. @throws `CORRUPT` */
  checkMissing(name: string): void {
    const entry = this.#entries.get(name)
    if (entry?.isLost === true && entry.error !== undefined) throw entry.error
    this.#delete(name)
  }

  /** The same if the file looks as it did then, for a reader beside a writer. */
  peekSame(name: string, stat: FileStat): Committed | undefined {
    return isSame(this.#entries.get(name)?.stat, stat) ? this.peek(name) : undefined
  }

  /** After a write of our own. */
  set(name: string, committed: Committed): void {
    if (!this.#entries.has(name)) this.#sorted.changed(name)
    this.#entries.set(name, { stat: undefined, committed, error: undefined, saved: false })
    this.#sidecar.changed()
  }

  /** Removes a session from the index and, durably, from the sidecar. */
  async forget(name: string): Promise<void> {
    this.#delete(name)
    await this.#sidecar.forget(name)
  }

  /** The sessions in the byte order of their keys. */
  list(): Promise<readonly Listed[]> {
    return this.#sorted.list()
  }

  /** Errors of files whose key is not known. */
  get unnamed(): readonly StoreError[] {
    const errors: StoreError[] = []
    for (const [name, entry] of this.#entries) {
      if (entry.error !== undefined && sessionOf(name, entry) === undefined) errors.push(entry.error)
    }
    return errors
  }

  /** Writes what changed to the sidecar. A failure costs time at the next opening, nothing else. */
  save(): Promise<void> {
    return this.#sidecar.save()
  }

  /** A reader's file may change at any moment, and it needs to know what is there now; the owner's stays as it is. */
  #inspect(name: string, scanMode = BESIDE_A_WRITER): Promise<readonly OpenFinding[]> {
    return this.#scans.take(name, !this.#options.write, () => this.#scan(name, scanMode))
  }

  async #scan(name: string, scanMode: ScanMode): Promise<readonly OpenFinding[]> {
    const old = this.#entries.get(name)
    const { entry, findings } = await indexFile(this.#options, name, old, scanMode)
    if (entry === undefined) {
      this.#delete(name)
      return findings
    }
    // Only now: others list what is there meanwhile, and the key of a session with a hashed name is in the file.
    if (old?.committed === undefined || !this.#entries.has(name)) this.#sorted.changed(name)
    this.#entries.set(name, entry)
    return findings
  }

  #delete(name: string): void {
    if (this.#entries.delete(name)) this.#sorted.changed(name)
  }
}
