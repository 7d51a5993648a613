import { assert, asyncProperty, constantFrom, oneof, string, uniqueArray } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, listAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

/** The names of the files that sessions get, without the directory. */
async function namesOf(sessions: readonly string[]): Promise<string[]> {
  const fileSystem = new SimulatedFileSystem()
  const backend = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
  await backend.open()
  const names: string[] = []
  for (const session of sessions) {
    await appendMessages(backend, session, 0, 1)
    const files = fileSystem.paths().filter((path) => path.endsWith('.jsonl'))
    const name = files.map((path) => path.slice('/store/'.length)).find((file) => !names.includes(file))
    names.push(name ?? 'none: two sessions share a file')
  }
  const listed = (await listAll(backend)).map(({ session }) => session)
  expect(listed).toEqual(sessions.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
  await backend.close()
  return names
}

const key = oneof(
  string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  string({
    unit: constantFrom('a', 'A', 'b', 'B', '.', ':', '/', '%', '+', '~', '_', '-', ' ', '\\', 'é', 'É', '\u0301'),
    minLength: 1,
    maxLength: 12,
  }),
  string({ unit: 'grapheme', minLength: 60, maxLength: 120 }),
  constantFrom(
    'con',
    'CON',
    'nul.txt',
    'com1',
    'lpt9.x',
    'aux',
    '.',
    '..',
    '.hidden',
    '-rf',
    'a.',
    'a ',
    'turnlog.heads',
    'a.jsonl',
  ),
)
const validKey = key.filter(
  (text) => Buffer.byteLength(text) <= 512 && !/\p{Cc}/u.test(text) && Buffer.from(text).toString() === text,
)

describe('file names', () => {
  test('stay readable', async () => {
    expect(await namesOf(['telegram:123', 'a/b', 'Alice', 'user_1-x.y', 'ä'])).toEqual([
      'telegram%3A123.jsonl',
      'a%2Fb.jsonl',
      '+alice.jsonl',
      'user_1-x.y.jsonl',
      '%C3%A4.jsonl',
    ])
  })

  test('avoid what Windows and shells treat specially', async () => {
    expect(await namesOf(['con', 'nul.txt', 'console', '.', '..', '.env', '-rf'])).toEqual([
      '%63on.jsonl',
      '%6Eul.txt.jsonl',
      'console.jsonl',
      '%2E.jsonl',
      '%2E..jsonl',
      '%2Eenv.jsonl',
      '%2Drf.jsonl',
    ])
  })

  test('are short for long keys, which the header tells', async () => {
    const long = ['x'.repeat(512), `${'x'.repeat(511)}y`, 'ü'.repeat(256)]
    for (const name of await namesOf(long)) {
      expect(name.length).toBeLessThan(200)
      expect(name).toMatch(/~[0-9a-f]{64}\.jsonl$/)
    }
  })

  test('differ for different keys, also where case and Unicode forms do not count, and tell the key again', async () => {
    await assert(
      asyncProperty(uniqueArray(validKey, { minLength: 2, maxLength: 8 }), async (sessions) => {
        const names = await namesOf(sessions)
        expect(new Set(names.map((name) => name.toLowerCase().normalize('NFC'))).size).toBe(sessions.length)
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_%+~][A-Za-z0-9_.%+~-]*\.jsonl$/)
      }),
      { numRuns: 300, seed: 20_261 },
    )
  })
})
