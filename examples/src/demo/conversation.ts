export interface DemoMessage {
  readonly role: string
  /** Its number in the conversation. */
  readonly n: number
  readonly [field: string]: unknown
}

export const KEY = 'web:mia'

const CITIES = ['Rome', 'Naples', 'Florence', 'Bologna', 'Turin', 'Verona', 'Venice', 'Siena'] as const

/** Messages of a turn: a question, a tool call, its result, an answer. */
const TURN = 4

/** The n-th message of a conversation that never ends, from 1. */
export function messageOf(n: number): DemoMessage {
  const turn = Math.ceil(n / TURN)
  const city = cityOf(turn)
  const id = `call_${turn}`
  switch ((n - 1) % TURN) {
    case 0:
      return { role: 'user', content: `When does the next train to ${city} leave?`, n }
    case 1: {
      const call = { id, type: 'function', function: { name: 'find_trains', arguments: JSON.stringify({ to: city }) } }
      return { role: 'assistant', content: null, tool_calls: [call], n }
    }
    case 2:
      return { role: 'tool', tool_call_id: id, content: `${8 + (turn % 12)}:10 to ${city}, platform ${turn % 9}`, n }
    default:
      return { role: 'assistant', content: `At ${8 + (turn % 12)}:10 from platform ${turn % 9}.`, n }
  }
}

/** What a model would have written about the first so many messages. */
export function summaryOf(count: number): string {
  const cities = Array.from({ length: Math.min(CITIES.length, Math.ceil(count / TURN)) }, (_, i) => cityOf(i + 1))
  return `Mia plans a journey through Italy and asks for trains. Looked up so far: ${cities.join(', ')}.`
}

function cityOf(turn: number): string {
  return CITIES[(turn - 1) % CITIES.length] ?? 'Rome'
}
