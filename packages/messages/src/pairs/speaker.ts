import { isFields, type Fields } from '../formats/fields.ts'
import { shapes } from '../formats/shapes.ts'

/** Whose turn an ordinary message takes. */
export type Speaker = 'user' | 'assistant'

/**
 * Undefined for whatever takes no turn: system and tool messages, unknown shapes, and the assistant messages of the
 * Responses API, which come between the calls and outputs of one turn.
 */
export function speakerOf(message: unknown): Speaker | undefined {
  if (!isFields(message)) return undefined
  if (isAside(message)) return undefined
  const role = roleOf(message) ?? roleOf(message['message']) ?? roleOf(message['content'])
  if (role === 'user') return 'user'
  if (role === undefined) return speakerByFormat(message)
  if (role !== 'assistant' && role !== 'model') return undefined
  return message['type'] === 'message' ? undefined : 'assistant'
}

function speakerByFormat(message: Fields): Speaker | undefined {
  for (const shape of shapes) {
    const speaker = shape.speaker?.(message)
    if (speaker !== undefined) return speaker
  }
  return undefined
}

/** Claude Code records its own remarks and what sub-agents say in between, without ending the turn. */
export function isAside(message: unknown): boolean {
  return isFields(message) && (message['isMeta'] === true || message['isSidechain'] === true)
}

/** Claude Code writes one message of the model as several entries, which share this id. */
export function turnOf(message: unknown): string | undefined {
  if (!isFields(message) || !isFields(message['message'])) return undefined
  const { id } = message['message']
  return typeof id === 'string' ? id : undefined
}

function roleOf(value: unknown): string | undefined {
  return isFields(value) && typeof value['role'] === 'string' ? value['role'] : undefined
}
