import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import type { Message } from 'turnlog'

import type { Contestant, Durability, Keeper } from '../contestants/contestant.ts'
import type { Absent, ScenarioContext } from './scenario.ts'

/** A contestant at work in its own directory, with a record of what it acknowledged. */
export class Entrant {
  readonly contestant: Contestant
  readonly directory: string
  readonly #written = new Map<string, Message[]>()
  #keeper: Keeper | undefined

  constructor(contestant: Contestant, directory: string) {
    this.contestant = contestant
    this.directory = directory
  }

  get id(): string {
    return this.contestant.id
  }

  get keeper(): Keeper {
    if (this.#keeper === undefined) throw new Error(`${this.id} is not open`)
    return this.#keeper
  }

  async open(): Promise<void> {
    mkdirSync(this.directory, { recursive: true })
    this.#keeper = await this.contestant.open(this.directory)
  }

  async close(): Promise<void> {
    const keeper = this.#keeper
    this.#keeper = undefined
    await keeper?.close()
  }

  async reopen(): Promise<void> {
    await this.close()
    await this.open()
  }

  async append(session: string, message: Message): Promise<void> {
    await this.keeper.append(session, message)
    this.record(session, [message])
  }

  async appendAll(session: string, messages: readonly Message[]): Promise<void> {
    const { keeper } = this
    if (keeper.appendAll === undefined) for (const message of messages) await keeper.append(session, message)
    else await keeper.appendAll(session, messages)
    this.record(session, messages)
  }

  record(session: string, messages: readonly Message[]): void {
    const written = this.#written.get(session)
    if (written === undefined) this.#written.set(session, [...messages])
    else written.push(...messages)
  }

  written(session: string): readonly Message[] {
    return this.#written.get(session) ?? []
  }

  /**
   * Opens it again and compares what it holds with what it acknowledged, in number and content. A contestant that
   * lost or changed something is not measured: this throws.
   */
  async verify({ isOrdered = true }: { readonly isOrdered?: boolean } = {}): Promise<void> {
    if (this.contestant.durability !== 'none') await this.reopen()
    for (const [session, written] of this.#written) {
      const texts = (messages: readonly Message[]): string[] => {
        const all = messages.map((message) => JSON.stringify(message))
        return isOrdered ? all : all.sort()
      }
      compare(this.id, session, texts(await this.keeper.read(session)), texts(written))
    }
  }

  diskBytes(): number {
    return bytesBelow(this.directory)
  }
}

function compare(id: string, session: string, found: readonly string[], expected: readonly string[]): void {
  if (found.length !== expected.length) {
    throw new Error(`${id} holds ${found.length} messages of ${session}, but acknowledged ${expected.length}`)
  }
  for (const [index, text] of expected.entries()) {
    if (found[index] !== text) throw new Error(`${id} changed message ${index} of ${session}`)
  }
}

/** What is in a directory, in bytes of contents. */
export function bytesBelow(directory: string): number {
  let bytes = 0
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  }
  return bytes
}

/** Those that fit and open; the others are named with the reason. */
export async function enter(
  context: ScenarioContext,
  contestants: readonly Contestant[],
  durability: Durability,
): Promise<{ entrants: Entrant[]; absent: Absent[] }> {
  const entrants: Entrant[] = []
  const absent: Absent[] = []
  const guests = context.guests.filter((guest) => guest.durability === durability)
  for (const contestant of [...contestants, ...guests]) {
    if (contestant.durability !== durability) throw new Error(`${contestant.id} does not promise ${durability}`)
    if (context.only !== undefined && !context.only.includes(contestant.id)) continue
    const entrant = new Entrant(contestant, join(context.directory, contestant.id))
    try {
      await entrant.open()
      entrants.push(entrant)
    } catch (error) {
      absent.push({ label: contestant.label, reason: error instanceof Error ? error.message : 'does not open' })
    }
  }
  return { entrants, absent }
}
