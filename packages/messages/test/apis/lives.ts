import { HISTORY_APIS, type HistoryApi } from '../../src/index.ts'
import { writers } from './writers.ts'

/** A small generator of our own, so that a history is known by its number. */
export function randomOf(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
}

export interface Life {
  readonly messages: object[]
  /** What the user said. */
  readonly said: readonly { readonly text: string; readonly at: number }[]
  /** What tools answered, with the place of the call. */
  readonly answered: readonly { readonly text: string; readonly at: number; readonly callAt: number }[]
}

export const apiNames = HISTORY_APIS as readonly HistoryApi[]

interface Open {
  readonly ids: readonly string[]
  readonly callAt: number
}

/** Turns, parallel calls, two loops at once, lost and late results, a user who writes while a tool runs. */
export function lifeOf(api: HistoryApi, seed: number): Life {
  const random = randomOf(seed)
  const writer = writers[api]
  const repeats = random(4) === 0
  const messages: object[] = []
  const said: { text: string; at: number }[] = []
  const answered: { text: string; at: number; callAt: number }[] = []
  let open: Open[] = []
  let count = 0
  const answer = (): void => {
    const call = open.splice(random(open.length), 1)[0]
    if (call === undefined) return
    const results = call.ids.filter(() => random(8) > 0).map((id) => ({ id, text: `found-${count++}.` }))
    if (random(3) === 0) results.reverse()
    const isInPart = api === 'ai-sdk-ui'
    for (const { id, text } of isInPart ? [] : results) {
      // Items make one call each.
      const before = api === 'openai-responses' ? call.ids.length - 1 - call.ids.indexOf(id) : 0
      answered.push({ text, at: messages.length, callAt: call.callAt - before })
    }
    messages.push(...(results.length === 0 ? [] : writer.results(results)))
  }
  const length = 2 + random(40)
  for (let step = 0; step < length; step++) {
    const kind = random(20)
    if (kind < 5) {
      const text = `user-${count++}.`
      said.push({ text, at: messages.length })
      messages.push(writer.user(text))
    } else if (kind < 8) messages.push(writer.say(`said-${count++}.`))
    else if (kind < 9) messages.push(writer.system?.(`system-${count++}.`) ?? writer.user('hm.'))
    else if (kind < 10) messages.push(writer.empty?.() ?? writer.say('hm.'))
    else if (kind < 14) {
      // Ids that come again belong to one loop: what is open then is lost.
      if (repeats) open = []
      const ids = Array.from({ length: 1 + random(3) }, (_, at) => (repeats ? `call_${at}` : `call_${seed}_${count++}`))
      const made = writer.calls(ids)
      open.push({ ids, callAt: messages.length + made.length - 1 })
      messages.push(...made)
    } else if (open.length > 0) answer()
  }
  return { messages, said, answered }
}
