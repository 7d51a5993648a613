import type { Message } from 'turnlog'

const WORDS =
  'the a of to and in is for with that on this are from file test error value return function build server user request response data key session model token cache index table query result write read append history'.split(
    ' ',
  )
const WIDE = ['naïve', 'größer', '日本語', '✓', 'été', 'Привет', '👍']
const TOOLS = ['read_file', 'run_command', 'search', 'edit_file', 'fetch_page']

/** About one message in eight holds a character that is not ASCII, which makes a two-byte string of it in V8. */
const WIDE_SHARE = 0.125

/** Mulberry32: small, fast, and the same on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/**
 * Messages as an agent loop makes them: a question, an assistant that calls tools, their results, an answer. The mean
 * is about 1 KB of JSON. The same seed gives the same messages.
 */
export class MessageGenerator {
  readonly #random: () => number
  #pending: Message[] = []
  #calls = 0

  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  next(): Message {
    if (this.#pending.length === 0) this.#pending = this.#turn()
    return this.#pending.shift() as Message
  }

  take(count: number): Message[] {
    return Array.from({ length: count }, () => this.next())
  }

  /** A tool result of about so many bytes. */
  toolResult(bytes: number): Message {
    return { role: 'tool', tool_call_id: `call_${this.#calls}`, content: this.#text(bytes) }
  }

  #turn(): Message[] {
    const turn: Message[] = [{ role: 'user', content: this.#text(200 + this.#random() * 900) }]
    const steps = 1 + Math.floor(this.#random() * 4)
    for (let step = 0; step < steps; step++) turn.push(...this.#step())
    turn.push({ role: 'assistant', content: this.#text(400 + this.#random() * 1600) })
    return turn
  }

  #step(): Message[] {
    const id = `call_${++this.#calls}`
    const name = TOOLS[Math.floor(this.#random() * TOOLS.length)] as string
    const toolArguments = JSON.stringify({ path: `src/${this.#word()}/${this.#word()}.ts`, query: this.#text(60) })
    return [
      {
        role: 'assistant',
        content: this.#text(80 + this.#random() * 500),
        tool_calls: [{ id, type: 'function', function: { name, arguments: toolArguments } }],
      },
      { role: 'tool', tool_call_id: id, content: this.#text(300 + this.#random() * 1800) },
    ]
  }

  #text(bytes: number): string {
    const words: string[] = []
    if (this.#random() < WIDE_SHARE) words.push(WIDE[Math.floor(this.#random() * WIDE.length)] as string)
    for (let length = 0; length < bytes;) {
      const word = this.#word()
      words.push(word)
      length += word.length + 1
    }
    return words.join(this.#random() < 0.1 ? '\n' : ' ')
  }

  #word(): string {
    return WORDS[Math.floor(this.#random() * WORDS.length)] as string
  }
}
