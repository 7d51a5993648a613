import { join } from 'node:path'
import type { Durability, OpenFinding, StoreError } from '@turnlog/core/backend'
import type { FileStat, FileSystem } from '../file-system/file-system.ts'
import { removeIfThere } from '../file-system/remove-if-there.ts'
import { decodeFileName } from '../format/file-name.ts'
import { missingFile } from '../format/missing-file.ts'
import type { Committed } from '../format/committed.ts'
import type { Entry } from './entry.ts'
import { isSame, parseCommitted, sessionOf } from './entry.ts'
import type { Listed } from './listed.ts'
import { lookIntoFile } from './look-into-file.ts'
import { SharedLooks } from './shared-looks.ts'
import { SidecarKeeper } from './sidecar-keeper.ts'
import { SortedSessions } from './sorted-sessions.ts'

export interface CatalogueOptions {
  readonly fileSystem: FileSystem
  readonly directory: string
  readonly durability: Durability
  /** Whether this process owns the directory: nobody else changes a file then. */
  readonly write: boolean
}

export interface Circumstances {
  /** No writer is at work, so that what is missing is lost. */
  readonly alone: boolean
  /** Something was written without waiting for the disk. */
  readonly lossy: boolean
}

const BESIDE_A_WRITER: Circumstances = { alone: false, lossy: false }

/** Files looked at side by side: as many as the thread pool has threads, twice, so that none is idle. */
const PARALLEL = 8

/** What is in the directory: a head for each session, checked against the files, which are the truth. */
export class Catalogue {
  readonly #options: CatalogueOptions
  readonly #entries = new Map<string, Entry>()
  readonly #sorted = new SortedSessions(this.#entries)
  readonly #sidecar: SidecarKeeper
  readonly #looks = new SharedLooks<readonly OpenFinding[]>()

  constructor(options: CatalogueOptions) {
    this.#options = options
    this.#sidecar = new SidecarKeeper(options, this.#entries)
  }

  get sessions(): number {
    return this.#entries.size
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** Reads the directory for the first time. `alone`: no writer is at work, so that what is missing is lost. */
  async load(alone: boolean): Promise<OpenFinding[]> {
    const { fileSystem, directory, durability, write } = this.#options
    const savedIn = await this.#sidecar.load()
    for (const name of this.#entries.keys()) this.#sorted.changed(name)
    const findings = await this.refresh({ alone, lossy: durability === 'os' || savedIn === 'os' })
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
  async refresh(circumstances: Circumstances): Promise<OpenFinding[]> {
    const { names, findings } = await this.#present(circumstances)
    return [...findings, ...(await this.#lookAt(names, circumstances))]
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
  async #present({ alone, lossy }: Circumstances): Promise<{ names: string[]; findings: OpenFinding[] }> {
    const { fileSystem, directory } = this.#options
    const names = (await fileSystem.list(directory)).filter((name) => this.#entries.has(name) || decodeFileName(name))
    const present = new Set(names)
    const absent: string[] = []
    for (const name of this.#entries.keys()) if (!present.has(name)) absent.push(name)
    // The listing is as old as its beginning: a session that was looked at since is not missing.
    const stats = absent.length === 0 ? [] : await fileSystem.stat(directory, absent)
    const findings: OpenFinding[] = []
    for (const [index, name] of absent.entries()) {
      const entry = this.#entries.get(name)
      if (entry === undefined || entry.isLost === true || stats[index] !== undefined) continue
      // Of a file without one whole batch nothing is missed.
      if (!alone || lossy || entry.committed === undefined) this.#delete(name)
      if (!alone || entry.committed === undefined) continue
      const { session, head } = parseCommitted(entry)
      const file = join(directory, name)
      if (lossy) {
        const message = `The file of session ${JSON.stringify(session)} is missing; it was written without waiting for the disk and is lost.`
        findings.push({ kind: 'lost-tail', message, session, file })
      } else {
        entry.isLost = true
        entry.error = missingFile(file, session, head.last)
      }
    }
    return { names, findings }
  }

  async #lookAt(names: readonly string[], circumstances: Circumstances): Promise<OpenFinding[]> {
    const { fileSystem, directory, write } = this.#options
    const stats = await fileSystem.stat(directory, names)
    const findings: OpenFinding[] = []
    const changed = names.filter((name, index) => {
      const entry = this.#entries.get(name)
      return entry === undefined || entry.error !== undefined || !isSame(entry.stat, stats[index])
    })
    const look = async (): Promise<void> => {
      for (let name; (name = changed.pop()) !== undefined;) {
        const found = await this.#inspect(name, circumstances)
        if (circumstances.alone || write) findings.push(...found)
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, look))
    return findings
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
    this.#sidecar.changed()
    const entry = this.#entries.get(name)
    if (entry === undefined) {
      this.#entries.set(name, { stat: undefined, committed, error: undefined, saved: false })
      this.#sorted.changed(name)
      return
    }
    entry.stat = undefined
    entry.committed = committed
    entry.error = undefined
    entry.saved = false
  }

  /** Removes a session from the catalogue and, durably, from the sidecar. */
  async forget(name: string): Promise<void> {
    this.#delete(name)
    await this.#sidecar.forget(name)
  }

  /** The sessions in the byte order of their keys. */
  list(): Promise<readonly Listed[]> {
    return this.#sorted.list()
  }

  /** Errors of files that no key can be told of. */
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
  #inspect(name: string, circumstances = BESIDE_A_WRITER): Promise<readonly OpenFinding[]> {
    return this.#looks.take(name, !this.#options.write, () => this.#look(name, circumstances))
  }

  async #look(name: string, circumstances: Circumstances): Promise<readonly OpenFinding[]> {
    const old = this.#entries.get(name)
    const { entry, findings } = await lookIntoFile(this.#options, name, old, circumstances)
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
