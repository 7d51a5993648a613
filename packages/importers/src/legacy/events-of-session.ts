import type { ImportedEvent } from '@turnlog/core'
import type { Json } from '@turnlog/core/backend'
import type { BadLine, LegacySession } from './legacy-session.ts'

/** The note that begins an imported session: where it comes from. */
const IMPORTED = 'imported'

/** The note with the lines that were no messages. */
const BAD_LINES = 'imported-bad-lines'

/** The note that ends an import whose last message is older than the session's last change. */
const COMPLETE = 'imported-completely'

/** Lines beyond this stay in the original file only; the note says how long they are. */
const MAX_NOTE_BYTES = 16 * 1024 * 1024

/**
 * Events that tell the same story as a legacy session: its messages with their times, the cut, the summary, the
 * metadata. The first event has the time at which the session was created and the last that of its last change, because
 * the session's own times come from these.
 */
export function eventsOfSession<M extends object>(session: LegacySession): ImportedEvent<M>[] {
  const { messages, truncated, summary, metadata, createdAt, updatedAt, badLines } = session
  const events: ImportedEvent<M>[] = [{ type: 'Noted', at: createdAt, kind: IMPORTED, data: session.origin }]
  const hasMetadata = Object.keys(metadata).length > 0
  const isLast = truncated === 0 && summary === '' && !hasMetadata && badLines.length === 0
  let lastAt = createdAt
  for (const [index, { message, at, source }] of messages.entries()) {
    // A message without a time was written after the one before it; the last one was the last change.
    if (at !== undefined) lastAt = at
    else if (isLast && index === messages.length - 1) lastAt = updatedAt
    events.push({ type: 'MessageAdded', at: lastAt, source, message: message as unknown as M })
  }
  const at = updatedAt
  if (truncated > 0) events.push({ type: 'Truncated', at, keepLast: messages.length - truncated })
  if (summary !== '') events.push({ type: 'SummarySet', at, summary })
  if (hasMetadata) events.push({ type: 'MetadataSet', at, metadata })
  if (badLines.length > 0) events.push({ type: 'Noted', at, kind: BAD_LINES, data: keepAside(badLines) })
  if (isLast && lastAt !== at) events.push({ type: 'Noted', at, kind: COMPLETE, data: {} })
  return events
}

/** Text where it is text. */
function keepAside(badLines: readonly BadLine[]): Json {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let left = MAX_NOTE_BYTES
  return badLines.map(({ line, bytes }): Json => {
    left -= bytes.length
    if (left < 0) return { line, bytes: bytes.length }
    try {
      return { line, text: decoder.decode(bytes) }
    } catch {
      return { line, base64: Buffer.from(bytes).toString('base64') } // not UTF-8, which is what is wrong with it
    }
  })
}
