import { StoreError } from '../errors/store-error.ts'
import type { Json } from '../json/json.ts'

/** A value that JSON can express and nobody can change any more, and about how long its JSON text is. */
export interface Normalised {
  readonly value: Json
  readonly bytes: number
}

/** Deeper values overflow the stack of some codec or other; no message that anybody means is half as deep. */
const MAX_DEPTH = 1000

// State of the walk in progress. There is only one: nothing here is asynchronous, and a `toJSON` that calls back into
// the store starts with its own (see `normaliseJson`). Keeping the path as keys makes it free unless it is needed.
let bytes = 0
let trail: (string | number)[] = []

/**
 * Copies, checks and freezes a value in one pass. `undefined` properties are dropped and `toJSON` is honoured, as
 * `JSON.stringify` would; what it would silently destroy is refused with its path. A value that is already deeply
 * frozen, plain and normal is returned itself, so that a history that was handed out costs no copy on its way back.
 *
 * @throws `INVALID_MESSAGE`
 */
export function normaliseJson(value: unknown, path: string): Normalised {
  const outer = { bytes, trail }
  bytes = 0
  trail = []
  try {
    return { value: walk(value, 0), bytes }
  } catch (error) {
    if (error instanceof Refusal)
      throw new StoreError('INVALID_MESSAGE', `${path}${pathText(error.depth)}: ${error.message}`)
    // A getter or toJSON of the caller threw. Its text may contain anything, so it stays in the cause.
    throw new StoreError('INVALID_MESSAGE', `${path}: reading it threw an error; see cause.`, { cause: error })
  } finally {
    bytes = outer.bytes
    trail = outer.trail
  }
}

class Refusal extends Error {
  readonly depth: number

  constructor(depth: number, message: string) {
    super(message)
    this.depth = depth
  }
}

function walk(value: unknown, depth: number): Json {
  switch (typeof value) {
    case 'string':
      bytes += value.length + 2
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new Refusal(depth, `${value} cannot be stored; use null or a string`)
      bytes += 8
      return value === 0 ? 0 : value // -0 becomes 0, as in JSON
    case 'boolean':
      bytes += 5
      return value
    case 'object':
      if (value === null) {
        bytes += 4
        return null
      }
      if (depth >= MAX_DEPTH) throw new Refusal(8, `nested deeper than ${MAX_DEPTH} levels, or a cycle`)
      bytes += 2
      return Array.isArray(value) ? walkArray(value, depth) : walkObject(value, depth)
    case 'bigint':
      throw new Refusal(depth, 'bigint cannot be stored; use a string')
    default:
      throw new Refusal(depth, `${typeof value} cannot be stored`)
  }
}

function walkArray(array: readonly unknown[], depth: number): Json {
  let same = Object.isFrozen(array)
  const copy: Json[] = []
  for (let i = 0; i < array.length; i++) {
    const item = array[i]
    trail[depth] = i
    if (item === undefined) throw new Refusal(depth + 1, 'undefined cannot be stored in an array; use null')
    const normal = walk(item, depth + 1)
    if (normal !== item) same = false
    copy.push(normal)
    bytes += 1
  }
  return same ? (array as Json) : Object.freeze(copy)
}

function walkObject(object: object, depth: number): Json {
  const prototype: unknown = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) {
    refuseSpecial(object, depth)
    const primitive = unboxed(object)
    if (primitive !== undefined) return walk(primitive, depth)
  }
  const { toJSON } = object as { toJSON?: unknown }
  if (typeof toJSON === 'function') {
    const replaced: unknown = toJSON.call(object, '')
    // As in JSON.stringify, the replacement's own toJSON is not called again.
    return isPlain(replaced) ? walkProperties(replaced, depth, false) : walk(replaced, depth + 1)
  }
  return walkProperties(object, depth, prototype === Object.prototype && Object.isFrozen(object))
}

function walkProperties(object: object, depth: number, reusable: boolean): Json {
  let same = reusable
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(object)) {
    const item = (object as Record<string, unknown>)[key]
    if (item === undefined) {
      same = false
      continue
    }
    trail[depth] = key
    const normal = walk(item, depth + 1)
    // A frozen getter may still answer differently next time, so only plain data is taken as it is.
    if (same && (normal !== item || Object.getOwnPropertyDescriptor(object, key)?.get !== undefined)) same = false
    bytes += key.length + 4
    if (key === '__proto__') defineOwn(copy, key, normal)
    else copy[key] = normal
  }
  return same ? (object as Json) : Object.freeze(copy)
}

/** The value of a `new String` and its like, which JSON takes for the value itself. */
function unboxed(object: object): unknown {
  const kind = Object.prototype.toString.call(object)
  return kind === '[object String]' || kind === '[object Number]' || kind === '[object Boolean]'
    ? object.valueOf()
    : undefined
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Assigning to `__proto__` would set the prototype instead of making a property. */
function defineOwn(target: object, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Objects that JSON would turn into `{}` or into something that cannot be read back. */
function refuseSpecial(object: object, depth: number): void {
  if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer) {
    throw new Refusal(depth, 'binary data cannot be stored; use a base64 string')
  }
  if (object instanceof Map || object instanceof Set || object instanceof WeakMap || object instanceof WeakSet) {
    throw new Refusal(depth, `a ${object.constructor.name} cannot be stored; use a plain object or an array`)
  }
  if (object instanceof RegExp || object instanceof Error || object instanceof Promise) {
    throw new Refusal(depth, `a ${object.constructor.name} cannot be stored; use a string`)
  }
}

function pathText(depth: number): string {
  return trail
    .slice(0, depth)
    .map((key) =>
      typeof key === 'number'
        ? `[${key}]`
        : /^[A-Za-z_$][\w$]*$/.test(key)
          ? `.${key}`
          : `[${JSON.stringify(key.slice(0, 40))}]`,
    )
    .join('')
}
