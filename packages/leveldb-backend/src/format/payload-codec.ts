import { Unpackr } from 'msgpackr'

import type { Json } from '@turnlog/core/backend'

import { jsonText } from './json-text.ts'
import { HEADER_BYTES } from './row-value.ts'
import { writePayload } from './payload-writer.ts'
import { structureTable } from './structures.ts'

/** msgpack with records from a fixed table: no definitions inside a value, no state between two values. */
const unpackr = new Unpackr({
  variableMapSize: true,
  mapsAsObjects: true,
  moreTypes: false,
  maxOwnStructures: 0,
  structures: structureTable(),
})

/** Values of the kind that the keys of records have. All others are text. */
const USUAL_VALUES: Readonly<Record<string, Json>> = {
  seq: 1,
  v: 1,
  at: Date.UTC(2026, 0),
  message: {},
  view: [[1, 2]],
  asked: 1,
  metadata: {},
  tool_calls: [],
  function: {},
  parts: [],
}
/** From then on msgpackr reads a structure with code of its own for it. */
const READS_TO_COMPILE = 5

/**
 * One object of each structure, kept alive. V8 forgets the shape of objects when the last one is gone, and throws away the
 * code that was compiled for it. Events live for a moment only, so after each collection of the heap the code that reads
 * them was compiled anew: 390 times in the 20 seconds of a benchmark, with reads at half their speed.
 */
export const KEPT_SHAPES: readonly Json[] = structureTable().map((keys) => {
  const bytes = Buffer.from(
    writePayload(Object.fromEntries(keys.map((key) => [key, USUAL_VALUES[key] ?? ''])), 0) ?? [],
  )
  for (let reads = 1; reads < READS_TO_COMPILE; reads++) unpackr.unpack(bytes)
  return unpackr.unpack(bytes) as Json
})

export interface Encoded {
  /** The payload begins at `HEADER_BYTES`; what is before it is for `sealValue`. */
  readonly value: Buffer
  readonly json: boolean
}

/** msgpack, or JSON text where msgpack would not give back the same value. */
export function encodePayload(payload: Json): Encoded {
  const value = writePayload(payload, HEADER_BYTES)
  return value === undefined ? encodeText(jsonText(payload)) : { value, json: false }
}

function encodeText(text: string): Encoded {
  const value = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text))
  value.write(text, HEADER_BYTES)
  return { value, json: true }
}

/**
 * Why without the original error: msgpackr's texts quote what it was decoding, and messages of errors get logged.
 *
 * @throws {PayloadError}
 */
export function decodePayload(bytes: Buffer, json: boolean): Json {
  try {
    return (json ? JSON.parse(bytes.toString('utf8', 0, bytes.length)) : unpackr.unpack(bytes)) as Json
  } catch {
    throw new PayloadError()
  }
}

/** Several msgpack payloads, one behind the other. @throws {PayloadError} */
export function decodePayloads(bytes: Buffer): readonly Json[] {
  try {
    return unpackr.unpackMultiple(bytes) as readonly Json[]
  } catch {
    throw new PayloadError()
  }
}

/** A payload whose checksum is right and that still cannot be decoded. Becomes `CORRUPT` where the place is known. */
export class PayloadError extends Error {
  constructor() {
    super('the payload cannot be decoded')
  }
}
