/** What the lines of a file are to a session. */
export interface LinesRead {
  readonly messages: readonly unknown[]
  /** How many lines of which type are no messages. */
  readonly leftOut: Readonly<Record<string, number>>
}

type Line = Readonly<Record<string, unknown>>

/** What a rollout of Codex says beside the items of the conversation. */
const CODEX_RECORDS = new Set([
  'session_meta',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
  'inter_agent_communication',
])

/** What Claude Code writes between its entries, with the field that only such a line has. */
const CLAUDE_RECORDS: ReadonlyMap<unknown, string> = new Map([
  ['summary', 'leafUuid'],
  ['file-history-snapshot', 'snapshot'],
  ['custom-title', 'customTitle'],
  ['ai-title', 'aiTitle'],
  ['tag', 'tag'],
])

/**
 * Takes the items out of a rollout of Codex and leaves out what it and Claude Code write beside the conversation.
 * Whatever is not certain to be one of these lines is a message as it is.
 */
export function messagesOfLines(lines: readonly unknown[]): LinesRead {
  const messages: unknown[] = []
  const leftOut: Record<string, number> = {}
  for (const line of lines) {
    if (!isObject(line) || 'role' in line || 'message' in line) messages.push(line)
    else if (isRollout(line) && line['type'] === 'response_item') messages.push(line['payload'])
    else if (isRecord(line)) leftOut[String(line['type'])] = (leftOut[String(line['type'])] ?? 0) + 1
    else messages.push(line)
  }
  return { messages, leftOut }
}

function isRecord(line: Line): boolean {
  const { type } = line
  if (typeof type !== 'string') return false
  if (isRollout(line)) return CODEX_RECORDS.has(type)
  const own = CLAUDE_RECORDS.get(type)
  // An entry of Claude Code that is said by nobody: system, progress, attachment.
  return own === undefined ? 'parentUuid' in line && 'uuid' in line && 'sessionId' in line : own in line
}

function isRollout(line: Line): boolean {
  return typeof line['timestamp'] === 'string' && isObject(line['payload'])
}

function isObject(value: unknown): value is Line {
  return typeof value === 'object' && value !== null
}
