import { isFields } from '../formats/fields.ts'
import type { Link } from '../formats/shape.ts'
import { speakerOf, turnOf } from './speaker.ts'
import type { ShapedLinks } from './tool-links.ts'

/** A call met on the walk, and what became of it so far. */
export interface WalkedCall {
  readonly index: number
  readonly link: Link
  readonly block: number
  state: 'open' | 'answered' | 'interrupted'
  /** Index of the message that answered or interrupted it. */
  settledAt: number
}

/** Calls under one id, oldest first; those before `next` are settled. */
interface Queue {
  readonly calls: WalkedCall[]
  next: number
}

/**
 * Pairs calls with results in the order of the messages. An id means something only while its call is open, so ids
 * that come again in every turn (`call_0`) pair within their own block.
 */
export class PairWalk {
  /** In the order they were made. */
  readonly open: Set<WalkedCall> = new Set()
  /** Where each block of calls begins: a block is what one turn of the model calls before it speaks or calls anew. */
  readonly blockStarts: number[] = [0]
  readonly #byId = new Map<string, Queue>()
  readonly #byAlias = new Map<string, Queue>()
  #answeredInBlock = false
  #turn: string | undefined

  /** Gives the calls that were made, the calls that were answered, and the results that answer nothing. */
  step(
    index: number,
    message: unknown,
    links: ShapedLinks,
  ): { readonly made: readonly WalkedCall[]; readonly answered: readonly WalkedCall[]; readonly orphans: Link[] } {
    const answered: WalkedCall[] = []
    const orphans: Link[] = []
    for (const result of links.results) {
      const call = this.#take(result)
      if (call === undefined) orphans.push(result)
      else answered.push(this.#settle(call, 'answered', index))
    }
    if (answered.length > 0) this.#answeredInBlock = true
    if (links.calls.length === 0) {
      if (answered.length === 0 && this.#endsTurn(message, links, orphans)) this.#interruptAll(index)
      return { made: [], answered, orphans }
    }
    this.#beginBlock(index, message, links)
    return { made: links.calls.map((link) => this.#make(index, link)), answered, orphans }
  }

  /** Once orphans are dropped, what is left of the message counts: all of it gone ends no turn, a text does. */
  #endsTurn(message: unknown, links: ShapedLinks, orphans: readonly Link[]): boolean {
    const speaker = speakerOf(message)
    if (speaker === undefined) return false
    if (speaker === 'assistant' && this.#turn !== undefined && turnOf(message) === this.#turn) return false
    if (orphans.length === 0) return true
    const dropped = new Map(orphans.map(({ part }) => [part, []]))
    return isFields(message) && links.shape?.rewrite(message, dropped) !== undefined
  }

  #beginBlock(index: number, message: unknown, links: ShapedLinks): void {
    const turn = turnOf(message)
    const continues = turn !== undefined && turn === this.#turn
    const isOfModel = links.shape?.isItems === true || speakerOf(message) === 'assistant'
    if (this.#answeredInBlock && !continues && isOfModel) {
      this.blockStarts.push(index)
      this.#answeredInBlock = false
    }
    this.#turn = turn
  }

  #make(index: number, link: Link): WalkedCall {
    const call: WalkedCall = { index, link, block: this.blockStarts.length - 1, state: 'open', settledAt: -1 }
    const queue = this.#byId.get(link.id)
    if (queue?.calls[0]?.index === index) {
      queue.calls.push(call)
    } else {
      for (const older of queue?.calls ?? []) if (older.state === 'open') this.#settle(older, 'interrupted', index)
      this.#byId.set(link.id, { calls: [call], next: 0 })
    }
    if (link.alias !== undefined) {
      const aliased = this.#byAlias.get(link.alias)
      if (aliased === undefined) this.#byAlias.set(link.alias, { calls: [call], next: 0 })
      else aliased.calls.push(call)
    }
    this.open.add(call)
    return call
  }

  #take(result: Link): WalkedCall | undefined {
    const call = nextOpen(this.#byId.get(result.id))
    if (call !== undefined || result.alias === undefined) return call
    return nextOpen(this.#byAlias.get(result.alias))
  }

  #settle(call: WalkedCall, state: 'answered' | 'interrupted', index: number): WalkedCall {
    call.state = state
    call.settledAt = index
    this.open.delete(call)
    return call
  }

  #interruptAll(index: number): void {
    for (const call of this.open) this.#settle(call, 'interrupted', index)
    this.#byId.clear()
    this.#byAlias.clear()
    this.#answeredInBlock = false
  }
}

function nextOpen(queue: Queue | undefined): WalkedCall | undefined {
  if (queue === undefined) return undefined
  while (queue.next < queue.calls.length && queue.calls[queue.next]?.state !== 'open') queue.next++
  return queue.calls[queue.next]
}
