import { Packr, RESERVE_START_SPACE, Unpackr } from 'msgpackr'

import type { Json, JsonObject } from '@turnlog/core/backend'

import { jsonText } from './json-text.ts'
import { HEADER_BYTES } from './row-value.ts'
import { isStructure, structureTable } from './structures.ts'

/** msgpack with records from a fixed table: no definitions inside a value, no state between two values. */
const SETTINGS = { variableMapSize: true, mapsAsObjects: true, moreTypes: false, maxOwnStructures: 0 } as const
const packr = new Packr({ ...SETTINGS, structures: structureTable(), useRecords: isStructure })
const unpackr = new Unpackr({ ...SETTINGS, structures: structureTable() })

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
 * An object of each structure, for ever. V8 forgets the shape of objects when the last one is gone, and throws away the
 * code that was compiled for it. Events live for a moment only, so after each collection of the heap the code that reads
 * them was compiled anew: 390 times in the 20 seconds of a benchmark, with reads at half their speed.
 */
export const KEPT_SHAPES: readonly Json[] = structureTable().map((keys) => {
  const bytes = Buffer.from(packr.pack(Object.fromEntries(keys.map((key) => [key, USUAL_VALUES[key] ?? '']))))
  for (let reads = 1; reads < READS_TO_COMPILE; reads += 1) unpackr.unpack(bytes)
  return unpackr.unpack(bytes) as Json
})

/** msgpackr recurses; deeper values than this take the road that does not. */
const DEPTH_MOST = 200
/** msgpackr goes on allocating buffers of the largest size it ever needed, unless it is given a small one again. */
const POOL_BYTES = 32 * 1024
const POOL_RESET_BYTES = 64 * 1024

export interface Encoded {
  /** The payload begins at `HEADER_BYTES`; what is before it is for `sealValue`. */
  readonly value: Buffer
  readonly json: boolean
}

export function encodePayload(payload: Json): Encoded {
  if (!isExact(payload, 0)) {
    const text = jsonText(payload)
    const value = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text))
    value.write(text, HEADER_BYTES)
    return { value, json: true }
  }
  const value = packr.pack(payload, RESERVE_START_SPACE | HEADER_BYTES)
  if (value.length > POOL_RESET_BYTES) packr.useBuffer(Buffer.allocUnsafeSlow(POOL_BYTES))
  return { value, json: false }
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

type WellFormed = { isWellFormed(): boolean }

/**
 * Whether msgpackr gives back the same value: it turns lone surrogates into U+FFFD, renames `__proto__`, forgets the
 * sign of zero and overflows the stack on deep nesting.
 */
function isExact(value: Json | undefined, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return (value as unknown as WellFormed).isWellFormed()
    case 'number':
      return !Object.is(value, -0)
    case 'object': {
      if (value === null) return true
      if (depth === DEPTH_MOST) return false
      if (Array.isArray(value)) {
        for (const item of value as readonly Json[]) if (!isExact(item, depth + 1)) return false
        return true
      }
      const object = value as JsonObject
      for (const key in object) {
        if (key === '__proto__' || !(key as unknown as WellFormed).isWellFormed()) return false
        if (!isExact(object[key], depth + 1)) return false
      }
      return true
    }
    default:
      return true
  }
}
