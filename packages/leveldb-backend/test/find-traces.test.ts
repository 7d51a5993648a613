import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { findTraces } from '../src/files/find-traces.ts'
import { encodeLog } from '../src/files/log-writer.ts'
import { SessionKeys } from '../src/rows/row-keys.ts'
import { temporaryDirectory } from './sample-store.ts'

/** LevelDB's number of a row whose bytes are those of the key of session `a`. */
const LIKE_A = Buffer.of(1, 0x03, 0x61, 0x00, 0, 0, 0, 0)
const NEW_FILE = 7
const COMPACT_POINTER = 5

function slice(key: Buffer): Buffer {
  return Buffer.concat([Buffer.of(key.length + LIKE_A.length), key, LIKE_A])
}

function eventKey(session: string): Buffer {
  return new SessionKeys(session).eventCopy(1)
}

function traces(directory: string, session: string): Promise<string | undefined> {
  const { head } = new SessionKeys(session)
  return findTraces(directory, [head, eventKey(session).subarray(0, -8)])
}

const table = Buffer.concat([Buffer.of(NEW_FILE, 0, 9, 100), slice(eventKey('b')), slice(eventKey('c'))])
const pointer = Buffer.concat([Buffer.of(COMPACT_POINTER, 1), slice(eventKey('d'))])

test('a session is found in the MANIFEST by the keys in it, not by numbers that look like one', async () => {
  const directory = temporaryDirectory()
  const manifest = join(directory, 'MANIFEST-000001')
  writeFileSync(manifest, encodeLog([table, pointer]))
  expect(await traces(directory, 'a')).toBeUndefined()
  expect(await traces(directory, 'bb')).toBeUndefined()
  for (const session of ['b', 'c', 'd']) expect(await traces(directory, session)).toBe(manifest)
})

test('a MANIFEST that cannot be understood may hold any session', async () => {
  const directory = temporaryDirectory()
  const manifest = join(directory, 'MANIFEST-000001')
  writeFileSync(manifest, encodeLog([table.subarray(0, -1)]))
  expect(await traces(directory, 'a')).toBe(manifest)
})
