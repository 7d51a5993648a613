import { openStore, StoreError } from '@turnlog/core'
import type { SessionStore } from '@turnlog/core'
import { wrapBackend } from '@turnlog/core/backend'
import type { Backend } from '@turnlog/core/backend'
import type { Command } from 'commander'
import type { DefaultBackend } from '../backends/default-backends.ts'
import type { Interruption } from './interruption.ts'
import type { AnyMessage } from '../output/message-text.ts'
import { Terminal } from '../output/terminal.ts'
import type { TerminalStreams } from '../output/terminal.ts'
import { printable } from '../output/printable.ts'
import type { ChosenStore, Surroundings } from '../store/choose-store.ts'
import { chooseStore, isStoreChosen } from '../store/choose-store.ts'
import { makeBackend } from '../store/make-backend.ts'
import { withoutBackgroundWork } from '../store/without-background-work.ts'
import { checkPlace, isVacant, storePlace } from '../store/store-place.ts'

export type AnyStore = SessionStore<AnyMessage>

interface GlobalOptions {
  readonly store?: string
  readonly json?: boolean
  readonly color?: boolean
}

type OnProgress = (done: number, total: number) => void

interface OpenFlags {
  readonly readOnly?: boolean
  readonly create?: boolean
  readonly onProgress?: OnProgress | undefined
}

/** What a command has at hand beside its own arguments. */
export class Context {
  readonly terminal: Terminal
  readonly json: boolean
  /** The kind of the store that is or was being opened, if it is one of ours. */
  storeKind: DefaultBackend | undefined
  readonly #interrupt: AbortSignal
  #endsItself = false
  readonly #storeOption: string | undefined
  readonly #environment: TerminalStreams['environment']
  readonly #cleanUps: (() => Promise<unknown>)[] = []
  #closed: Promise<void> | undefined

  constructor(command: Command, streams: TerminalStreams, signal: AbortSignal) {
    const { store, json = false, color = true } = command.optsWithGlobals<GlobalOptions>()
    this.#storeOption = store
    this.json = json
    this.terminal = new Terminal(streams, !color)
    this.#environment = streams.environment
    this.#interrupt = signal
  }

  /** For a command that goes on until Ctrl-C: taking it means to end by it. Any other command is ended by Ctrl-C. */
  untilInterrupted(): AbortSignal {
    this.#endsItself = true
    return this.#interrupt
  }

  /** Whether a person says yes; an interruption is no answer. */
  ask(question: string): Promise<boolean> {
    return this.terminal.ask(question, this.#interrupt)
  }

  /** Whether the command sees to its end by itself. */
  endsBy({ isExpected }: Interruption): boolean {
    return this.#endsItself && isExpected
  }

  /**
   * To be called before whatever must not be left behind is begun: a store (reading one may put a copy into the
   * temporary directory), half a file. `cleanUp` is called once, when the command is done or is interrupted, and has to
   * come to an end also if that is in the middle of opening or writing.
   *
   * @throws `CLOSED` if the command was interrupted already, so that nothing is begun any more
   */
  beforeExit(cleanUp: () => Promise<unknown>): void {
    if (this.#closed !== undefined) throw new StoreError('CLOSED', 'The command was interrupted.')
    this.#cleanUps.push(cleanUp)
  }

  get isStoreChosen(): boolean {
    return isStoreChosen(this.#surroundings())
  }

  /** @throws `INVALID_CONFIG` also for a store in memory */
  async choose(): Promise<ChosenStore> {
    const chosen = await chooseStore(this.#surroundings())
    if (chosen.config.backend === 'memory') {
      throw new StoreError(
        'INVALID_CONFIG',
        'The memory backend holds nothing that the command could read. Use a directory, such as leveldb:./sessions.',
      )
    }
    return chosen
  }

  /** Opens for looking only: a JSONL store may be in use meanwhile, and nothing on the disk changes. */
  async openToRead(onProgress?: OnProgress): Promise<AnyStore> {
    return this.#open(await this.choose(), { readOnly: true, onProgress })
  }

  /** `create`: whether a store that is not there is made; only for commands that have the option. */
  async openToWrite(flags: { readonly create?: boolean } = {}): Promise<AnyStore> {
    return this.#open(await this.choose(), flags)
  }

  /** Opens to find out what a writing command would do: nothing is changed, and a store that is not there is not made. */
  async openForDryRun({ create }: { readonly create: boolean }): Promise<AnyStore> {
    const chosen = await this.choose()
    const { limits } = chosen.config
    if (!create || !isVacant(await storePlace(chosen.config))) return this.#open(chosen, { readOnly: true, create })
    return this.#open(
      { ...chosen, config: { backend: 'memory', ...(limits === undefined ? undefined : { limits }) } },
      {},
    )
  }

  /** @throws `NOT_FOUND` */
  requireSession(key: string, exists: boolean): void {
    if (exists) return
    throw new StoreError('NOT_FOUND', `There is no session ${JSON.stringify(key)}. See turnlog list.`, { session: key })
  }

  /** @throws the first thing that could not be cleaned up, when everything else is */
  close(): Promise<void> {
    this.#closed ??= this.#cleanUp()
    return this.#closed
  }

  #surroundings(): Surroundings {
    return { option: this.#storeOption, environment: this.#environment, directory: process.cwd() }
  }

  async #cleanUp(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#cleanUps.map((cleanUp) => cleanUp()))
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
  }

  async #open({ config, source }: ChosenStore, { readOnly, create, onProgress }: OpenFlags): Promise<AnyStore> {
    const place = await storePlace(config)
    this.storeKind = place?.asked
    const isMade = create === true && readOnly !== true && isVacant(place)
    if (place !== undefined && !isMade) checkPlace(place, source, { hasCreate: create !== undefined })
    const onWarning = (warning: { readonly message: string }): void => {
      this.terminal.note(this.terminal.colors.yellow(`! ${printable(warning.message)}`))
    }
    const settings = { onWarning, ...(readOnly === true ? { readOnly } : undefined) }
    // Only a backend that is made here can be asked how far it has come.
    const watched = place === undefined || onProgress === undefined ? undefined : await makeBackend(config)
    let opening: Promise<AnyStore> | undefined
    this.beforeExit(async () => {
      // If it did not open, the command has said why.
      const store = await opening?.catch(() => undefined)
      await store?.close()
    })
    opening = openStore<AnyMessage>(
      watched === undefined || onProgress === undefined
        ? { ...withoutBackgroundWork(config), ...settings }
        : { ...settings, backend: withProgress(watched, onProgress) },
    )
    return opening
  }
}

/** Only the backend can say how far it has come: `verify` of a store has no way to ask for that. */
function withProgress(backend: Backend, onProgress: OnProgress): Backend {
  const { maintenance } = backend
  if (maintenance === undefined) return backend
  return wrapBackend(backend, { maintenance: { verify: (options) => maintenance.verify({ ...options, onProgress }) } })
}
