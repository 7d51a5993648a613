import type { Json } from '@turnlog/core/backend'

import { deepFreeze } from './make-events.ts'

export interface HostileValue {
  readonly name: string
  readonly value: Json
}

const DEPTH = 500

/** Values that codecs and databases get wrong. Minus zero is missing on purpose: `JSON.stringify` makes it 0. */
export function hostileValues(): HostileValue[] {
  const values: [string, Json][] = [
    ['null', null],
    ['true', true],
    ['false', false],
    ['zero', 0],
    ['the empty text', ''],
    ['the empty object', {}],
    ['the empty array', []],
    ['nulls in an array', [null, null, [null]]],
    ['falsy fields', { a: null, b: false, c: 0, d: '', e: [], f: {} }],
    ['NUL', 'a\u0000b'],
    ['control characters', '\u0001\u0007\b\t\n\v\f\r\u001b\u007f\u0080\u0085'],
    ['line and paragraph separators', 'a\u2028b\u2029c'],
    ['line ends of every kind', 'a\r\nb\rc\nd'],
    ['quotes and backslashes', '\\"\\\\/\'`\\u0000'],
    ['a lone high surrogate', 'a\ud800b'],
    ['a lone low surrogate', '\udc00'],
    ['surrogates in the wrong order', '\udc00\ud800'],
    ['non-characters', '\ufffe\uffff\ufdd0'],
    ['a byte order mark', '\ufeffa\ufeff'],
    ['the replacement character', '\ufffd'],
    ['composed and decomposed', ['\u00e9', 'e\u0301']],
    ['emoji', '👩‍👩‍👧‍👦🇩🇪🏳️‍🌈'],
    ['right-to-left overrides', '\u202eabc\u202c'],
    ['large and small numbers', [1e21, 1e-7, 5e-324, 1.7976931348623157e308, -1e21]],
    [
      'whole numbers around 2^32 and 2^53',
      [2 ** 31, 2 ** 32, -(2 ** 31) - 1, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 2 ** 63],
    ],
    ['fractions', [0.1, 1 / 3, 123456789.12345679]],
    ['a number and its text', [1, '1', 1.5, '1.5', 'NaN', 'Infinity']],
    ['texts that look like dates and binary', ['2020-01-01T00:00:00.000Z', 'AAEC', '0x00']],
    ['the empty key', { '': 1, a: { '': {} } }],
    ['an own __proto__', JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":1}}') as Json],
    ['names of Object.prototype', { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: null }],
    ['keys that need quoting', { 'a.b': 1, 'a"b': 2, 'a\\b': 3, $where: 4, 'a\u0000b': 5, '\ud800': 6, ' ': 7 }],
    ['keys in an unusual order', { z: 1, a: 2, m: { y: 1, b: 2 }, A: 3 }],
    ['keys that look like numbers', { 10: 'a', 9: 'b', '-1': 'c', '01': 'd', a: 'e' }],
    ['fields that engines call', JSON.parse('{"toJSON":"text","then":"text"}') as Json],
    ['a constructor and a toJSON', { constructor: 'text', toJSON: 'text', in: { toJSON: {}, constructor: null } }],
    ['many keys', Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key${index}`, index]))],
    ['a long array', Array.from({ length: 10_000 }, (_, index) => index % 300)],
    ['deep arrays', nested((inner) => [inner])],
    ['deep objects', nested((inner) => ({ in: inner }))],
  ]
  return values.map(([name, value]) => ({ name, value: deepFreeze(value) }))
}

function nested(wrap: (inner: Json) => Json): Json {
  let value: Json = 'core'
  for (let i = 0; i < DEPTH; i++) value = wrap(value)
  return value
}
