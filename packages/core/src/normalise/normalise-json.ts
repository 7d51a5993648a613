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
    const normal = walk(value, 0)
    if (normal === undefined) throw new Refusal(0, 'undefined cannot be stored')
    return { value: normal, bytes }
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

/** `undefined` only where a `toJSON` says so. */
function walk(value: unknown, depth: number): Json | undefined {
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
      return Array.isArray(value) ? walkArray(value, depth) : walkObject(value, depth)
    case 'bigint': {
      const { toJSON } = value as { toJSON?: unknown }
      if (typeof toJSON === 'function') return walkReplacement(value, toJSON, depth)
      throw bigintRefusal(depth)
    }
    default:
      throw new Refusal(depth, `${typeof value} cannot be stored`)
  }
}

function walkArray(array: readonly unknown[], depth: number, replaces = false): Json | undefined {
  const { toJSON } = array as { toJSON?: unknown }
  if (typeof toJSON === 'function' && !replaces) return walkReplacement(array, toJSON, depth)
  bytes += 2
  let same = !replaces && Object.isFrozen(array) && hasOnly(array, array.length + 1) // and its length
  const copy: Json[] = []
  for (let i = 0; i < array.length; i++) {
    const item = array[i]
    trail[depth] = i
    const normal = item === undefined ? undefined : walk(item, depth + 1)
    if (normal === undefined) throw new Refusal(depth + 1, 'undefined cannot be stored in an array; use null')
    if (same && (!Object.is(normal, item) || isComputed(array, i))) same = false
    copy.push(normal)
    bytes++
  }
  return same ? (array as Json) : Object.freeze(copy)
}

function walkObject(object: object, depth: number, replaces = false): Json | undefined {
  const prototype: unknown = Object.getPrototypeOf(object)
  const isPlain = prototype === Object.prototype || prototype === null
  if (!isPlain) refuseBinary(object, depth)
  const { toJSON } = object as { toJSON?: unknown }
  if (typeof toJSON === 'function' && !replaces) return walkReplacement(object, toJSON, depth)
  if (!isPlain) {
    const primitive = unboxed(object)
    if (typeof primitive === 'bigint') throw bigintRefusal(depth)
    if (primitive !== undefined) return walk(primitive, depth)
    refuseSpecial(object, depth)
  }
  return walkProperties(object, depth, !replaces && prototype === Object.prototype && Object.isFrozen(object))
}

/** What `toJSON` gives for a value, taken as it is: `JSON.stringify` does not ask the replacement's own `toJSON` either. */
function walkReplacement(value: unknown, toJSON: Function, depth: number): Json | undefined {
  const key = depth === 0 ? '' : String(trail[depth - 1])
  const replacement: unknown = Reflect.apply(toJSON, value, [key])
  if (typeof replacement === 'object' && replacement !== null) {
    return Array.isArray(replacement) ? walkArray(replacement, depth, true) : walkObject(replacement, depth, true)
  }
  if (typeof replacement === 'bigint') throw bigintRefusal(depth)
  return replacement === undefined ? undefined : walk(replacement, depth)
}

function bigintRefusal(depth: number): Refusal {
  return new Refusal(depth, 'bigint cannot be stored; use a string')
}

function walkProperties(object: object, depth: number, reusable: boolean): Json {
  bytes += 2
  const keys = Object.keys(object)
  let same = reusable && hasOnly(object, keys.length)
  const copy: Record<string, Json> = {}
  for (const key of keys) {
    const item = (object as Record<string, unknown>)[key]
    if (item === undefined) {
      same = false
      continue
    }
    trail[depth] = key
    const normal = walk(item, depth + 1)
    if (normal === undefined) {
      same = false
      continue
    }
    if (same && (!Object.is(normal, item) || isComputed(object, key))) same = false
    bytes += key.length + 4
    if (key === '__proto__') defineOwn(copy, key, normal)
    else copy[key] = normal
  }
  return same ? (object as Json) : Object.freeze(copy)
}

/** Whether there is nothing else in it: a hidden property is not stored, and what it refers to may still change. */
function hasOnly(object: object, properties: number): boolean {
  return Reflect.ownKeys(object).length === properties
}

/** A frozen getter may still answer differently next time, so only plain data is taken as it is. */
function isComputed(object: object, key: string | number): boolean {
  return Object.getOwnPropertyDescriptor(object, key)?.get !== undefined
}

/** The value of a `new String` and its like, which JSON takes for the value itself. */
function unboxed(object: object): unknown {
  if (!BOXES.has(kindOf(object))) return undefined
  const value: unknown = object.valueOf()
  return typeof value === 'object' ? undefined : value // a class may call itself as it likes
}

const BOXES: ReadonlySet<string> = new Set(['String', 'Number', 'Boolean', 'BigInt'])

/** Assigning to `__proto__` would set the prototype instead of making a property. */
function defineOwn(target: object, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Also if it has a `toJSON`: that of a Buffer makes a list of numbers, which nobody means to store. */
function refuseBinary(object: object, depth: number): void {
  if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer || kindOf(object) === 'SharedArrayBuffer') {
    throw new Refusal(depth, 'binary data cannot be stored; use a base64 string')
  }
}

/** Objects that JSON would turn into `{}` or into something that cannot be read back. */
function refuseSpecial(object: object, depth: number): void {
  if (object instanceof Map || object instanceof Set || object instanceof WeakMap || object instanceof WeakSet) {
    throw new Refusal(depth, `a ${object.constructor.name} cannot be stored; use a plain object or an array`)
  }
  if (object instanceof RegExp || object instanceof Error || object instanceof Promise) {
    throw new Refusal(depth, `a ${object.constructor.name} cannot be stored; use a string`)
  }
  // What a platform provides (Blob, Headers and so on) has a name of its own and its contents elsewhere than in properties.
  const kind = kindOf(object)
  if (kind !== 'Object' && Object.keys(object).length === 0) {
    throw new Refusal(depth, `a ${kind.slice(0, 40)} cannot be stored; use a string or a plain object`)
  }
}

/** What the platform calls it; `Object` for instances of most classes. */
function kindOf(object: object): string {
  return Object.prototype.toString.call(object).slice(8, -1)
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
