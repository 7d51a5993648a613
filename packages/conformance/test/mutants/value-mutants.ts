import type { Json } from '@turnlog/core/backend'

import { memoryMutant } from './mutant.ts'
import type { Mutant } from './mutant.ts'

/** Changes every value of every event on its way in, as a lossy codec does. */
function values(name: string, caughtBy: readonly string[], change: (value: Json) => Json): Mutant {
  return memoryMutant(name, caughtBy, (inner) => ({
    append: (session, expected, events, projection, options) =>
      inner.append(
        session,
        expected,
        events.map((event) => deep(event as Json, change) as typeof event),
        deep(projection, change),
        options,
      ),
  }))
}

function texts(name: string, caughtBy: readonly string[], change: (text: string) => string): Mutant {
  return values(name, caughtBy, (value) => (typeof value === 'string' ? change(value) : value))
}

function deep(value: Json, change: (value: Json) => Json): Json {
  const changed = change(value)
  if (typeof changed !== 'object' || changed === null) return changed
  if (Array.isArray(changed)) return changed.map((child: Json) => deep(child, change))
  return Object.fromEntries(Object.entries(changed).map(([key, child]) => [key, deep(child, change)]))
}

const fields = (value: Json, change: (entries: [string, Json][]) => [string, Json][]): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(change(Object.entries(value)))
    : value

function depthOf(value: Json): number {
  return typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).slice(0, 3).map(depthOf))
    : 0
}

/** Loses fields of the event itself, which it has a use for, and keeps those that lie deeper. */
function withoutFields(...names: readonly string[]): Mutant {
  return memoryMutant(`keeps no field of an event called ${names.join(' or ')}`, ['values.field-names'], (inner) => ({
    append: (session, expected, events, ...rest) =>
      inner.append(
        session,
        expected,
        events.map(
          (event) => Object.fromEntries(Object.entries(event).filter(([key]) => !names.includes(key))) as typeof event,
        ),
        ...rest,
      ),
  }))
}

export const valueMutants: readonly Mutant[] = [
  withoutFields('session', 'key', '_id'),
  withoutFields('projection'),
  withoutFields('first', 'last', 'incarnation'),
  withoutFields('__proto__'),
  withoutFields('constructor'),
  withoutFields('10'),
  values(
    'drops falsy fields',
    ['values.falsy-fields', 'values.zero', 'values.false', 'values.the-empty-text'],
    (value) => fields(value, (entries) => entries.filter(([, child]) => Boolean(child))),
  ),
  values('drops null fields', ['values.falsy-fields', 'values.null'], (value) =>
    fields(value, (entries) => entries.filter(([, child]) => child !== null)),
  ),
  values('drops the operation id', ['append.exact', 'values.envelope'], (value) =>
    fields(value, (entries) => entries.filter(([key]) => key !== 'op')),
  ),
  values('sorts fields', ['append.exact', 'values.keys-in-an-unusual-order'], (value) =>
    fields(value, (entries) => entries.sort(([a], [b]) => (a < b ? -1 : 1))),
  ),
  values('renames __proto__', ['values.an-own-proto'], (value) =>
    fields(value, (entries) => entries.map(([key, child]) => [key === '__proto__' ? '__proto_' : key, child])),
  ),
  values('assigns __proto__', ['values.an-own-proto', 'values.no-pollution'], (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const copy: Record<string, Json> = {}
    for (const [key, child] of Object.entries(value)) copy[key] = child
    return copy
  }),
  values('asks objects of an unknown class for their JSON', ['values.a-constructor-and-a-tojson'], (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { constructor, toJSON } = value as { constructor?: unknown; toJSON?: () => Json }
    return constructor === Object || toJSON === undefined ? value : toJSON()
  }),
  values('leaves out the empty key', ['values.the-empty-key'], (value) =>
    fields(value, (entries) => entries.filter(([key]) => key !== '')),
  ),
  values('keeps 500 fields', ['values.many-keys'], (value) => fields(value, (entries) => entries.slice(0, 500))),
  values('cuts long arrays', ['values.a-long-array'], (value) => (Array.isArray(value) ? value.slice(0, 5000) : value)),
  values('stores small numbers', ['values.fractions', 'values.random'], (value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Math.fround(value) : value,
  ),
  values('stores 32 bits of a number', ['values.whole-numbers-around-2-32-and-2-53'], (value) =>
    typeof value === 'number' && value >= 2 ** 31 && value < 2 ** 33 ? value | 0 : value,
  ),
  values('forgets what is deep', ['values.deep-arrays', 'values.deep-objects'], (value) =>
    depthOf(value) > 400 ? null : value,
  ),
  texts(
    'replaces lone surrogates',
    ['values.a-lone-high-surrogate', 'values.a-lone-low-surrogate', 'values.surrogates-in-the-wrong-order'],
    (text) => Buffer.from(text).toString(),
  ),
  texts('ends a text at NUL', ['values.nul'], (text) => text.split('\u0000')[0] ?? ''),
  texts('splits lines at U+2028', ['values.line-and-paragraph-separators'], (text) =>
    text.replaceAll(/[\u2028\u2029]/g, '\n'),
  ),
  texts('makes line ends alike', ['values.line-ends-of-every-kind'], (text) => text.replaceAll(/\r\n?/g, '\n')),
  texts('removes control characters', ['values.control-characters'], (text) => text.replaceAll(/[\u0001-\u0008]/g, '')), // eslint-disable-line no-control-regex -- the defect
  texts('removes byte order marks', ['values.a-byte-order-mark'], (text) => text.replace(/^\ufeff/, '')),
  texts('normalises text', ['values.composed-and-decomposed'], (text) => text.normalize()),
  texts('unescapes backslashes', ['values.quotes-and-backslashes'], (text) => text.replaceAll('\\\\', '\\')),
  texts('cuts texts at a million characters', ['values.five-megabytes'], (text) => text.slice(0, 1_000_000)),
  values('takes the text of a number for a number', ['values.a-number-and-its-text'], (value) =>
    value === '1.5' ? 1.5 : value,
  ),
  values('takes the text of a date for a date', ['values.texts-that-look-like-dates-and-binary'], (value) =>
    typeof value === 'string' && value.startsWith('2020-') ? new Date(value).getTime() : value,
  ),
  values('drops empty objects', ['values.the-empty-object', 'values.the-empty-array'], (value) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0 ? null : value,
  ),
  values('drops a projection like any empty value', ['projection.every-value'], (value) =>
    value === '' ? null : value,
  ),
  values('stores booleans as numbers', ['values.true', 'values.false'], (value) =>
    typeof value === 'boolean' ? Number(value) : value,
  ),
  values('leaves null out of arrays', ['values.nulls-in-an-array'], (value) =>
    Array.isArray(value) ? value.filter((child) => child !== null) : value,
  ),
  values('stores ten digits of a number', ['values.large-and-small-numbers'], (value) =>
    typeof value === 'number' && Math.abs(value) > 1e15 ? Number(value.toPrecision(10)) : value,
  ),
  values('leaves out what every object has', ['values.names-of-object-prototype'], (value) =>
    fields(value, (entries) => entries.filter(([key]) => !(key in Object.prototype) || key === '__proto__')),
  ),
  values('takes dots in keys for paths', ['values.keys-that-need-quoting'], (value) =>
    fields(value, (entries) => entries.map(([key, child]) => [key.replaceAll('.', '_'), child])),
  ),
  values('takes keys for numbers', ['values.keys-that-look-like-numbers'], (value) =>
    fields(value, (entries) => entries.map(([key, child]) => [/^0\d$/.test(key) ? String(Number(key)) : key, child])),
  ),
  values('calls toJSON fields', ['values.fields-that-engines-call'], (value) =>
    fields(value, (entries) => entries.filter(([key]) => key !== 'toJSON')),
  ),
  texts('replaces non-characters', ['values.non-characters'], (text) => text.replaceAll(/[\ufffe\uffff]/g, '?')),
  texts('takes the replacement character for damage', ['values.the-replacement-character'], (text) =>
    text.replaceAll('\ufffd', ''),
  ),
  texts('stores three bytes of a character', ['values.emoji'], (text) =>
    text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?'),
  ),
  texts('removes overrides of direction', ['values.right-to-left-overrides'], (text) =>
    text.replaceAll(/[\u202a-\u202e]/g, ''),
  ),
  memoryMutant('keeps the events it was given', ['aliasing.input-events'], (inner) => {
    const given = new Map<string, unknown>()
    return {
      async append(session, expected, events, ...rest) {
        await inner.append(session, expected, events, ...rest)
        if (expected.last === 0) given.set(session, events)
      },
      read: async function* (session, ranges, options) {
        const events = given.get(session)
        if (events === undefined) yield* inner.read(session, ranges, options)
        else yield events as never
      },
    }
  }),
  memoryMutant('keeps the projection it was given', ['aliasing.input-projection'], (inner) => {
    const given = new Map<string, Json>()
    return {
      async append(session, expected, events, projection, options) {
        await inner.append(session, expected, events, projection, options)
        given.set(session, projection)
      },
      async head(session) {
        const head = await inner.head(session)
        return head && { ...head, projection: given.get(session) ?? null }
      },
    }
  }),
  memoryMutant('freezes what it was given', ['aliasing.input-untouched'], (inner) => ({
    async append(session, expected, events, ...rest) {
      await inner.append(session, expected, events, ...rest)
      for (const event of events) Object.freeze(event)
    },
  })),
  memoryMutant('returns live events', ['aliasing.output-events'], (inner) => {
    const live = new Map<string, unknown[]>()
    return {
      async append(session, expected, events, ...rest) {
        await inner.append(session, expected, events, ...rest)
        live.set(session, [...(live.get(session) ?? []), ...structuredClone(events)])
      },
      read: async function* (session) {
        const events = live.get(session)
        if (events !== undefined) yield events as never
      },
    }
  }),
  memoryMutant('returns live heads', ['aliasing.output-heads'], (inner) => {
    const live = new Map<string, Awaited<ReturnType<typeof inner.head>>>()
    return {
      async head(session) {
        if (!live.has(session)) live.set(session, structuredClone(await inner.head(session)))
        return live.get(session)
      },
    }
  }),
]
