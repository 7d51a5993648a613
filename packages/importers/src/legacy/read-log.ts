import type { Json, JsonObject } from '@turnlog/core/backend'
import type { BadLine, LegacyMessage, LegacySession } from './legacy-session.ts'
import { legacyTime } from './legacy-time.ts'
import { parseObject } from './parse-json.ts'
import type { FileBytes } from './read-bytes.ts'
import { leftovers, readKey, readSummary } from './read-fields.ts'
import { readMessage } from './read-message.ts'
import { Rejection } from './rejection.ts'

const KNOWN = new Set(['key', 'summary', 'skip', 'count', 'created_at', 'updated_at', 'scope', 'aliases'])

/** Larger metadata than a session can have goes into the note about the import. */
const MAX_METADATA_BYTES = 4096

const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * A session from a `.meta.json` and its `.jsonl`, one message per line. The `count` in the former may be stale and is
 * not looked at; lines that are no messages are kept aside.
 *
 * @throws {@link Rejection}
 */
export function readLog(name: string, meta: FileBytes & { readonly name: string }, lines: Buffer): LegacySession {
  const fields = parseObject(meta.bytes, meta.name)
  const key = readKey(fields, meta.name)
  const skip = readSkip(fields, meta.name)
  const summary = readSummary(fields, meta.name)
  const { messages, truncated, badLines } = readLines(name, key, lines, skip)
  const { metadata, rest } = readMetadata(fields)
  const createdAt = legacyTime(fields['created_at']) ?? messages[0]?.at ?? meta.modifiedAt
  return {
    key,
    messages,
    truncated,
    summary,
    metadata,
    createdAt,
    updatedAt: Math.max(createdAt, legacyTime(fields['updated_at']) ?? meta.modifiedAt),
    origin: { format: 'jsonl', file: name, ...(Object.keys(rest).length === 0 ? undefined : { fields: rest }) },
    badLines,
  }
}

/** Every line that is not empty counts for `skip`, also one that is no message: so the old store counted. */
function readLines(
  name: string,
  key: string,
  bytes: Buffer,
  skip: number,
): Pick<LegacySession, 'messages' | 'truncated' | 'badLines'> {
  const messages: LegacyMessage[] = []
  const badLines: BadLine[] = []
  let truncated = 0
  let counted = 0
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start)
    const next = newline < 0 ? bytes.length : newline + 1
    let end = newline < 0 ? bytes.length : newline
    if (end > start && bytes[end - 1] === RETURN) end--
    const text = bytes.subarray(start, end)
    start = next
    if (text.length === 0) continue
    counted++
    const path = `${name}, line ${line}`
    try {
      messages.push(readMessage(parseObject(text, path), path, key))
      if (counted <= skip) truncated++
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      badLines.push({ line, bytes: text })
    }
  }
  return { messages, truncated, badLines }
}

function readSkip(fields: JsonObject, name: string): number {
  const { skip = 0 } = fields as { skip?: Json }
  if (typeof skip === 'number' && Number.isSafeInteger(skip) && skip >= 0) return skip
  throw new Rejection('invalid', `${name}: "skip" is not a number of lines.`)
}

function readMetadata(fields: JsonObject): { readonly metadata: JsonObject; readonly rest: JsonObject } {
  const metadata = Object.fromEntries(
    ['scope', 'aliases'].flatMap((name) => (isSaid(fields[name]) ? [[name, fields[name] as Json]] : [])),
  )
  const rest = leftovers(fields, KNOWN)
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length
  return bytes <= MAX_METADATA_BYTES ? { metadata, rest } : { metadata: {}, rest: { ...metadata, ...rest } }
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}
