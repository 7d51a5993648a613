import assert from 'node:assert/strict'

import type { Backend } from '@turnlog/core/backend'

import type { Case } from '../context/case.ts'
import { readAll } from '../probe/collect.ts'
import { ExpectedSession } from '../probe/expected-session.ts'
import { hostileValues } from '../probe/hostile-values.ts'
import type { HostileValue } from '../probe/hostile-values.ts'
import { randomJson } from '../probe/random-json.ts'

const MEBIBYTE = 1024 * 1024

/** What stores and languages use themselves: columns, keys of documents, properties of every object, indexes. */
const FIELD_NAMES: readonly string[] = [
  'session',
  'key',
  'projection',
  'first',
  'last',
  'incarnation',
  'bytes',
  'events',
  'event',
  'batch',
  'import',
  '_id',
  '_rev',
  'rowid',
  'value',
  'data',
  'payload',
  'json',
  'checksum',
  'crc',
  'length',
  'left',
  'kind',
  'name',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  '10',
  '-1',
  '$ref',
  'a.b',
  '',
]

export const valueCases: readonly Case[] = [
  ...hostileValues().map(hostileValueCase),
  {
    id: 'values.envelope',
    level: 'must',
    promise: 'The envelope is kept exactly: any id, type, version, time and operation id.',
    prevents: 'An event loses its type, time or operation id.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const envelopes = [
        { id: '', type: '', v: 0, at: 0 },
        { id: 'i'.repeat(1000), type: 'Ünknown Type', v: 2 ** 31, at: 8.64e15, op: '' },
        { id: '\u0000', type: '__proto__', v: 1, at: -1, op: 'o\nn' },
        { id: '1', type: 'x', v: 1, at: 1.5, inert: true, op: '\ud800' },
      ]
      for (const envelope of envelopes) await session.append(backend, [{ seq: session.last + 1, ...envelope }], null)
      await session.check(backend)
    },
  },
  {
    id: 'values.field-names',
    level: 'must',
    promise: 'A field of an event may be called anything, also what a backend calls something of its own.',
    prevents: 'A field of a message overwrites a column of the backend.',
    async run({ backend, harness, random, capabilities }) {
      const session = new ExpectedSession(random)
      const all = Object.fromEntries(FIELD_NAMES.map((name) => [name, `the field ${name}`]))
      for (const name of FIELD_NAMES) await session.grow(backend, 1, { fields: { [name]: { inner: name } } })
      await session.grow(backend, 2, { fields: all })
      const check = async (on: Backend): Promise<void> => {
        await session.check(on)
        assert.equal(JSON.stringify(await readAll(on, session.key)), JSON.stringify(session.events))
      }
      await check(backend)
      if (capabilities.persistent) await check(await harness.reopen())
    },
  },
  {
    id: 'values.five-megabytes',
    level: 'must',
    promise: 'A text of 5 MB comes back exactly, ASCII or not.',
    prevents: 'A message with a picture or a document is cut or refused.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const texts = [random.word(1024).repeat((5 * MEBIBYTE) / 1024), '€\u{1f600}'.repeat((5 * MEBIBYTE) / 8)]
      for (const text of texts) await session.grow(backend, 1, { fields: { text } })
      const stored = await readAll(backend, session.key)
      for (const [index, text] of texts.entries()) {
        assert.ok(stored[index]?.['text'] === text, `text ${index} of ${text.length} characters came back changed`)
      }
    },
  },
  {
    id: 'values.twenty-megabytes',
    level: 'must',
    promise: 'An event of 20 MB comes back exactly.',
    prevents: 'A message with a video or a large document is cut or refused.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const text = random.word(1024).repeat(20 * 1024)
      await session.grow(backend, 1, { fields: { text } })
      const [stored] = await readAll(backend, session.key)
      assert.ok(stored?.['text'] === text, `a text of ${text.length} characters came back changed`)
      assert.equal((await backend.head(session.key))?.last, 1)
    },
  },
  {
    id: 'values.random',
    level: 'must',
    promise: 'Every JSON value comes back exactly, with its keys in their order.',
    prevents: 'Some message that nobody thought of comes back changed.',
    async run({ backend, random, count }) {
      const session = new ExpectedSession(random)
      for (let i = 0; i < count(10); i++) {
        const events = session.next(20).map((event) => Object.assign({ value: randomJson(random, 5) }, event))
        await session.append(backend, events, randomJson(random, 4))
      }
      await session.check(backend)
      assert.equal(JSON.stringify(await readAll(backend, session.key)), JSON.stringify(session.events))
    },
  },
  {
    id: 'values.no-pollution',
    level: 'must',
    promise: 'Storing and reading hostile keys changes no prototype.',
    prevents: 'A message that an attacker wrote changes the behaviour of the program.',
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as {
        [key: string]: number
      }
      await session.grow(backend, 1, { fields: { value }, projection: value })
      await session.check(backend)
      assert.equal(({} as { polluted?: number }).polluted, undefined)
      const [stored = {}] = await readAll(backend, session.key)
      assert.equal((stored as { value: { polluted?: number } }).value.polluted, undefined)
    },
  },
]

function hostileValueCase({ name, value }: HostileValue): Case {
  return {
    id: `values.${name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')}`,
    level: 'must',
    promise: `An event that holds ${name} comes back exactly.`,
    prevents: `A message that holds ${name} comes back changed or cannot be stored.`,
    async run({ backend, random }) {
      const session = new ExpectedSession(random)
      await session.grow(backend, 2, { fields: { value, inner: { list: [value] } } })
      await session.check(backend)
      assert.equal(JSON.stringify(await readAll(backend, session.key)), JSON.stringify(session.events))
    },
  }
}
