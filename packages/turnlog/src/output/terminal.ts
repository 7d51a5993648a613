import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'

const STYLES = ['bold', 'dim', 'italic', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const

type Colors = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>

/** Held back until so much has gathered, because one write for each line costs more than the line. */
const BUFFER_CHARACTERS = 16 * 1024

const DEFAULT_COLUMNS = 100
const MIN_COLUMNS = 40

export interface TerminalStreams {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly errors: Writable & { readonly isTTY?: boolean }
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Where a command writes. Results go to `line`, everything about the work itself to `note`, so that pipes stay clean. */
export class Terminal {
  readonly colors: Colors
  readonly input: Readable
  readonly errors: Writable
  /** A person is there to be asked. */
  readonly isInteractive: boolean
  readonly isTerminal: boolean
  /** Progress may be drawn. */
  readonly showsProgress: boolean
  readonly columns: number
  readonly #output: Writable
  #buffer = ''
  #hasWritten = false

  constructor({ input, output, errors, environment }: TerminalStreams, noColor = false) {
    this.isTerminal = output.isTTY === true
    this.isInteractive = this.isTerminal && input.isTTY === true
    this.showsProgress = errors.isTTY === true && environment['TERM'] !== 'dumb'
    this.colors = makeColors(!noColor && wantsColor(environment, this.isTerminal))
    const given = output.columns ?? Number(environment['COLUMNS'])
    this.columns = Number.isFinite(given) && given > 0 ? Math.max(MIN_COLUMNS, given) : DEFAULT_COLUMNS
    this.input = input
    this.errors = errors
    this.#output = output
  }

  /** The first line goes out at once, so that a long listing shows that it has begun. */
  async line(text: string): Promise<void> {
    this.#buffer += `${text}\n`
    if (this.#hasWritten && this.#buffer.length < BUFFER_CHARACTERS) return
    await this.flush()
  }

  async lines(texts: Iterable<string>): Promise<void> {
    for (const text of texts) await this.line(text)
  }

  async flush(): Promise<void> {
    if (this.#buffer === '') return
    const text = this.#buffer
    this.#buffer = ''
    this.#hasWritten = true
    if (!this.#output.write(text)) await new Promise<void>((resolve) => void this.#output.once('drain', resolve))
  }

  note(text: string): void {
    this.errors.write(`${text}\n`)
  }

  /**
   * Whether a person says yes. Anything but `y` or `yes` is a no.
   *
   * @throws `AbortError` when it is interrupted
   */
  async ask(question: string, signal: AbortSignal): Promise<boolean> {
    await this.flush()
    const lines = createInterface({ input: this.input, output: this.errors })
    // While it is asked, Ctrl-C is a character, which would be taken for the end of the input.
    lines.once('SIGINT', () => process.emit('SIGINT', 'SIGINT'))
    // The end of the input is an answer as well.
    const ended = new Promise<string>((resolve) => void lines.once('close', () => resolve('')))
    try {
      const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended])
      return /^y(?:es)?$/i.test(answer.trim())
    } finally {
      lines.close()
    }
  }
}

function makeColors(isWanted: boolean): Colors {
  // `styleText` would look at the standard output of the process, and the streams are given here.
  const paint = (style: (typeof STYLES)[number], text: string): string =>
    isWanted ? styleText(style, text, { validateStream: false }) : text
  return Object.fromEntries(STYLES.map((style) => [style, (text: string) => paint(style, text)])) as unknown as Colors
}

function wantsColor(environment: TerminalStreams['environment'], isTerminal: boolean): boolean {
  if ((environment['NO_COLOR'] ?? '') !== '') return false
  if ((environment['FORCE_COLOR'] ?? '') !== '') return environment['FORCE_COLOR'] !== '0'
  return isTerminal && environment['TERM'] !== 'dumb'
}
