import type { Json } from '../json/json.ts'
import { normaliseJson } from '../normalise/normalise-json.ts'
import { planCut } from '../plan/cut.ts'
import type { Draft } from '../plan/draft.ts'
import type { BadLine, LegacySession } from './legacy-session.ts'

/** The note that begins an imported session: where it comes from. */
const IMPORTED = 'imported'

/** The note with the lines that were no messages. */
const BAD_LINES = 'imported-bad-lines'

/** The note that ends an import whose last message is older than the session's last change. */
const COMPLETE = 'imported-completely'

/**
 * Events that tell the same story as a legacy session: its messages with their times, the cut, the summary, the
 * metadata. The first event has the time at which the session was created and the last that of its last change, for
 * these are what the session's own times come from.
 */
export function planImport<M extends object>(draft: Draft<M>, session: LegacySession, maxNoteBytes: number): void {
  const { now } = draft
  addEvents(draft, session, maxNoteBytes)
  draft.now = now // of the other operations that share the append
}

function addEvents<M extends object>(draft: Draft<M>, session: LegacySession, maxNoteBytes: number): void {
  const { messages, truncated, summary, metadata, createdAt, updatedAt, badLines } = session
  draft.now = createdAt
  draft.add('Noted', { kind: IMPORTED, data: frozen(session.origin) })
  const isLast = truncated === 0 && summary === '' && Object.keys(metadata).length === 0 && badLines.length === 0
  for (const [index, { message, bytes, at }] of messages.entries()) {
    // A message without a time was written after the one before it; the last one was the last change.
    if (at !== undefined) draft.now = at
    else if (isLast && index === messages.length - 1) draft.now = updatedAt
    draft.addMessage(message as unknown as M, bytes)
  }
  const lastMessageAt = draft.now
  draft.now = updatedAt
  if (truncated > 0) {
    const keepLast = messages.length - truncated
    planCut(draft, { boundary: truncated, exact: true, asked: { keepLast, exact: true } }, undefined)
  }
  if (summary !== '') draft.setSummary(summary)
  if (Object.keys(metadata).length > 0) draft.add('MetadataSet', { metadata })
  if (badLines.length > 0) draft.add('Noted', { kind: BAD_LINES, data: frozen(keepAside(badLines, maxNoteBytes)) })
  if (isLast && lastMessageAt !== updatedAt) draft.add('Noted', { kind: COMPLETE, data: frozen({}) })
}

/** Backends are given nothing that anybody can still change. */
function frozen(data: Json): Json {
  return normaliseJson(data, 'data').value
}

/** Text where it is text; lines beyond what a message may have are named, and stay in the original file only. */
function keepAside(badLines: readonly BadLine[], maxBytes: number): Json {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let left = maxBytes
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
