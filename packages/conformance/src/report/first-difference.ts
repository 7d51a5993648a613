import { inspect } from 'node:util'

/** Characters of a long text that are shown before and after the place where it differs. */
const AROUND = 40

/** Where two values first differ and what stands there, in one line; `undefined` where no difference can be named. */
export function firstDifference(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (Object.is(expected, actual)) return undefined
  if (typeof expected === 'string' && typeof actual === 'string' && expected.length + actual.length > 2 * AROUND) {
    return differenceOfTexts(expected, actual, path)
  }
  if (!isStructure(expected) || !isStructure(actual)) {
    return line(path, show(expected), show(actual))
  }
  const [left, right] = [Object.getPrototypeOf(expected) as unknown, Object.getPrototypeOf(actual) as unknown]
  if (left !== right) return line(path, `an object of ${nameOf(left)}`, `an object of ${nameOf(right)}`)
  for (const key of new Set([...Reflect.ownKeys(expected), ...Reflect.ownKeys(actual)])) {
    if (Array.isArray(expected) && key === 'length') continue // what is missing or too much is named by its place
    const inner = Array.isArray(expected) && typeof key === 'string' ? `${path}[${key}]` : `${path}.${String(key)}`
    if (!Object.hasOwn(expected, key)) return line(inner, 'nothing', show(Reflect.get(actual, key)))
    if (!Object.hasOwn(actual, key)) return line(inner, show(Reflect.get(expected, key)), 'nothing')
    const difference = firstDifference(Reflect.get(expected, key), Reflect.get(actual, key), inner)
    if (difference !== undefined) return difference
  }
  return undefined
}

function differenceOfTexts(expected: string, actual: string, path: string): string {
  let at = 0
  while (at < expected.length && at < actual.length && expected[at] === actual[at]) at++
  const part = (text: string): string => show(text.slice(Math.max(0, at - AROUND), at + AROUND))
  return line(`${path} character ${at} of ${expected.length} and ${actual.length}`.trim(), part(expected), part(actual))
}

function line(path: string, expected: string, actual: string): string {
  return `${path === '' ? '' : `${path}: `}${expected} was expected, ${actual} came`
}

function show(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 3, maxStringLength: 2 * AROUND })
  return text.length > 4 * AROUND ? `${text.slice(0, 4 * AROUND)}...` : text
}

function nameOf(prototype: unknown): string {
  return prototype === null ? 'no class' : ((prototype as { constructor?: { name?: string } }).constructor?.name ?? '?')
}

function isStructure(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
