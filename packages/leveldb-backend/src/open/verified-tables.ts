import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { logName } from '@turnlog/leveldb-files'
import type { TableVerifier } from '@turnlog/leveldb-files'
import { bootId, SingleFlight } from '@turnlog/storage-kit'

import { tableState, writeVerifiedTables } from '../files/verified-tables-file.ts'
import { protectFile } from '../files/protect-files.ts'
import { listStoreFiles } from '../files/store-files.ts'

/**
 * Notes which tables need not be checked at the next opening, see `readVerifiedTables`: those that the verifier has checked, and
 * those that came since, which this process's LevelDB wrote. A store that is opened after a kill would else be read as a
 * whole before LevelDB may compact it. On the way it takes from other users what LevelDB has made since.
 *
 * What cannot be noted is checked again; so no error here is anybody's trouble.
 */
export class VerifiedTables {
  readonly #directory: string
  readonly #verifier: TableVerifier
  readonly #everyBytes: number
  readonly #boot = bootId()
  #states = new Map<number, string>()
  #bytes = 0
  readonly #noting = new SingleFlight<void>()

  /** Noted after so many bytes have been written: that many make LevelDB write a table. */
  constructor(directory: string, verifier: TableVerifier, everyBytes: number) {
    this.#directory = directory
    this.#verifier = verifier
    this.#everyBytes = everyBytes
  }

  written(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < this.#everyBytes) return
    this.#bytes = 0
    void this.note()
  }

  async noteWhenChecked(): Promise<void> {
    try {
      await this.#verifier.all()
    } catch {
      return // damaged: whoever reads or writes is told
    }
    await this.note()
  }

  note(): Promise<void> {
    return this.#noting.join(() => this.#note().catch(() => undefined))
  }

  /** Resolves when nothing is being noted: a file that is open meanwhile may be one too many. */
  async settled(): Promise<void> {
    await this.#noting.running
  }

  /** After LevelDB has been closed and the modes of its files have been set, which also changes their state. */
  async close(): Promise<void> {
    await this.#noting.running
    this.#states.clear()
    await this.note()
  }

  async #note(): Promise<void> {
    const { logs, manifests, tables } = listStoreFiles(this.#directory)
    for (const name of ['CURRENT', 'LOG', ...manifests, ...logs.map(logName)]) {
      await protectFile(join(this.#directory, name))
    }
    const states = new Map<number, string>()
    for (const [number, name] of tables) {
      if (this.#verifier.isUnchecked(number)) continue
      const state = this.#states.get(number) ?? (await this.#stateOf(number, name))
      if (state !== undefined) states.set(number, state)
    }
    const isSame =
      states.size === this.#states.size && Array.from(states.keys()).every((number) => this.#states.has(number))
    if (isSame) return
    this.#states = states
    if (this.#boot !== '') await writeVerifiedTables(this.#directory, this.#boot, states.values())
  }

  /** First its mode: to change that changes the state. */
  async #stateOf(number: number, name: string): Promise<string | undefined> {
    const file = join(this.#directory, name)
    try {
      await protectFile(file)
      return tableState(number, await stat(file, { bigint: true }))
    } catch {
      return undefined // compacted away since
    }
  }
}
