import type { Json } from '@turnlog/core/backend'

import type { Random } from '../context/random.ts'

const TEXTS = [
  '',
  'a',
  '\u0000',
  '\u2028',
  '\ud800',
  'é',
  '😀',
  '__proto__',
  'constructor',
  '\n',
  '"',
  '\\',
  '0',
  '-1',
  '\ufeff',
]
const NUMBERS = [0, 1, -1, 0.5, 255, 256, 65536, 2 ** 32, -(2 ** 31), 2 ** 53 - 1, 1e300, 1e-300]

/** A JSON value made of what breaks codecs. */
export function randomJson(random: Random, depth: number): Json {
  const kind = random.integer(0, depth > 0 ? 6 : 4)
  if (kind === 0) return random.pick([null, true, false])
  if (kind === 1) return random.pick(NUMBERS)
  if (kind === 2) return random.integer(-(2 ** 40), 2 ** 40) / random.pick([1, 3, 1000])
  if (kind <= 4) return randomText(random)
  const length = random.integer(0, 4)
  if (kind === 5) return Array.from({ length }, () => randomJson(random, depth - 1))
  // fromEntries defines properties, so that `__proto__` becomes one.
  return Object.fromEntries(Array.from({ length }, () => [randomText(random), randomJson(random, depth - 1)]))
}

function randomText(random: Random): string {
  return Array.from({ length: random.integer(0, 3) }, () => random.pick(TEXTS)).join('')
}
