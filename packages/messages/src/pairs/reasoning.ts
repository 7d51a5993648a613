import { isFields } from '../formats/fields.ts'

export function isReasoning(message: unknown): boolean {
  return isFields(message) && message['type'] === 'reasoning'
}

/** The Responses API refuses a reasoning item without the item of the model that followed it, and the other way round. */
export function isGluedToNext(message: unknown, next: unknown): boolean {
  if (!isReasoning(message) || !isFields(next)) return false
  const { type, role } = next
  if (typeof type !== 'string') return role === 'assistant'
  if (type === 'message') return role === 'assistant'
  return type === 'reasoning' || type === 'program' || type === 'mcp_approval_request' || type.endsWith('_call')
}
