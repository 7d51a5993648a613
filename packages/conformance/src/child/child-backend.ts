import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'

import type {
  AppendOptions,
  EventRecord,
  Expected,
  Head,
  Json,
  OpenOptions,
  OpenReport,
  SessionHead,
} from '@turnlog/core/backend'

import type { Deeds } from './append-and-erase.ts'
import { builtModule } from './built-module.ts'
import type { Request, Response } from './message.ts'
import { received } from './sent-error.ts'
import type { Acknowledgement } from './write-without-end.ts'

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** A target's backend in a process of its own, which can be killed. */
export class ChildBackend {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly #waiting = new Map<number, Waiting>()
  readonly #exited: Promise<unknown>
  #ready: Promise<void>
  #nextId = 1
  #complaints = ''
  /** Called for each append that the child acknowledges while it writes without end. */
  onAcknowledged: (acknowledgement: Acknowledgement) => void = () => undefined

  constructor(module: string, directory: string) {
    this.#child = spawn(process.execPath, [builtModule('process-main'), module, directory], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#complaints += text))
    this.#child.stdin.on('error', () => undefined) // the child is dead; its exit rejects whoever waits
    this.#exited = once(this.#child, 'close')
    this.#ready = new Promise((resolve, reject) => this.#waiting.set(0, { resolve: () => resolve(), reject }))
    this.#ready.catch(() => undefined) // whoever asks first is told
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#receive(line))
    void this.#exited.then(() => this.#rejectAll())
  }

  open(options: OpenOptions = {}): Promise<OpenReport> {
    return this.#ask({ method: 'open', options }) as Promise<OpenReport>
  }

  async close(): Promise<void> {
    await this.#ask({ method: 'close' })
  }

  async append(
    session: string,
    expected: Expected,
    events: readonly EventRecord[],
    projection: Json,
    options?: AppendOptions,
  ): Promise<void> {
    await this.#ask({
      method: 'append',
      session,
      expected,
      events,
      projection,
      ...(options === undefined ? {} : { options }),
    })
  }

  head(session: string): Promise<Head | undefined> {
    return this.#ask({ method: 'head', session }) as Promise<Head | undefined>
  }

  readAll(session: string): Promise<EventRecord[]> {
    return this.#ask({ method: 'read', session }) as Promise<EventRecord[]>
  }

  list(): Promise<SessionHead[]> {
    return this.#ask({ method: 'list' }) as Promise<SessionHead[]>
  }

  async listKeys(): Promise<string[]> {
    return (await this.list()).map(({ session }) => session)
  }

  async erase(session: string, expectedLast: number): Promise<void> {
    await this.#ask({ method: 'erase', session, expectedLast })
  }

  /** One append of many small events, which the child makes itself. */
  async bulk(session: string, from: number, count: number): Promise<void> {
    await this.#ask({ method: 'bulk', session, from, count })
  }

  async churn(session: string, turns: number, seed: number): Promise<void> {
    await this.#ask({ method: 'churn', session, turns, seed })
  }

  /** Reads the sessions until `rest` is called. Resolves with the number of reads. */
  watch(sessions: readonly string[]): Promise<number> {
    return this.#ask({ method: 'watch', sessions }) as Promise<number>
  }

  async rest(): Promise<void> {
    await this.#ask({ method: 'rest' })
  }

  /** Rejects when the child is killed, as it must be. */
  async write(sessions: readonly string[], seed: number): Promise<void> {
    await this.#ask({ method: 'write', sessions, seed })
  }

  /** @returns how often it met a CONFLICT */
  compete(session: string, writer: string, count: number): Promise<number> {
    return this.#ask({ method: 'compete', session, writer, count }) as Promise<number>
  }

  async takeTurns(session: string, writer: string, count: number): Promise<void> {
    await this.#ask({ method: 'turns', session, writer, count })
  }

  appendAndErase(session: string, writer: string, count: number): Promise<Deeds> {
    return this.#ask({ method: 'deeds', session, writer, count }) as Promise<Deeds>
  }

  /** It stands still, alive and with all that it holds, until `resume`. */
  stop(): void {
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  /** Its process is up; nothing is open yet. */
  ready(): Promise<void> {
    return this.#ready
  }

  /** Lets the process end as a program does that has nothing more to do: what it has to do at its exit is done. */
  async end(): Promise<void> {
    this.#child.stdin.end()
    await this.#exited
  }

  /** Without any warning. Resolves when the process is gone and everything it wrote has been received. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  async #ask(request: Request): Promise<unknown> {
    await this.#ready
    const id = this.#nextId++
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    this.#child.stdin.write(`${JSON.stringify({ id, request })}\n`)
    return answer
  }

  #receive(line: string): void {
    const response = JSON.parse(line) as Response
    if (response.kind === 'acknowledged') return this.onAcknowledged(response)
    const id = response.kind === 'ready' ? 0 : response.id
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (response.kind === 'answer' && response.failure !== undefined) waiting?.reject(received(response.failure))
    else waiting?.resolve(response.kind === 'answer' ? response.value : undefined)
  }

  #rejectAll(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`the child process ended. ${this.#complaints}`))
    this.#waiting.clear()
  }
}
