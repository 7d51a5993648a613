import { execFile } from 'node:child_process'
import { cp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import type { Backend, EventRecord } from '@turnlog/core/backend'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { assert, asyncProperty, constantFrom, oneof, string, uniqueArray } from 'fast-check'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeBatch } from '../src/append/encode-batch.ts'
import { frameLine, hasValidChecksum, parseBatchEnd } from '../src/format/line.ts'
import { appendMessages, listAll, message, readAll, scratchDirectory } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const run = promisify(execFile)
const hasJq = await run('jq', ['--version']).then(
  () => true,
  () => false,
)

async function makeStore(lines: number): Promise<{ readonly directory: string; readonly file: string }> {
  const directory = await scratchDirectory()
  const backend = jsonlBackend({ path: directory })
  await backend.open()
  for (let last = 0; last < lines;) last = await appendMessages(backend, 'chat', last, last === 1 ? 2 : 1)
  await backend.close()
  return { directory, file: join(directory, 'chat.jsonl') }
}

async function editLines(file: string, edit: (lines: string[]) => string[]): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  await writeFile(file, edit(lines).join('\n'))
}

async function expectCorrupt(directory: string, line: number): Promise<void> {
  const backend = jsonlBackend({ path: directory })
  await backend.open()
  await expect(readAll(backend, 'chat')).rejects.toMatchObject({ code: 'CORRUPT', line })
  await backend.close()
}

describe('a session file', () => {
  test('has a header and one line of JSON for each event, with the fields of the event first', async () => {
    const { file } = await makeStore(3)
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      turnlog: 'jsonl',
      v: 1,
      session: 'chat',
      incarnation: 'life of chat',
      codec: null,
      base: 1,
      crc: expect.stringMatching(/^[0-9a-f]{8}$/),
    })
    for (const [index, line] of lines.slice(1).entries()) {
      const { '~': bookkeeping, ...event } = JSON.parse(line) as Record<string, unknown>
      expect(event).toEqual(message(index + 1))
      expect(line.startsWith(JSON.stringify(message(index + 1)).slice(0, -1))).toBe(true)
      expect(bookkeeping).toMatchObject({ more: index === 1 ? 1 : 0 })
    }
  })

  test('has the checksum that the format describes, at every length of a seq', async () => {
    const directory = await scratchDirectory()
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    const starts = [1, 9, 10, 99, 1234, 99_999_999, 10 ** 12, 10 ** 15 - 1, Number.MAX_SAFE_INTEGER - 2]
    for (const [index, start] of starts.entries()) {
      const [session, incarnation] = [`chat-${index}`, `life ${index}`]
      const events = [message(start), message(start + 1, 'ä')]
      await backend.append(session, { last: 0, incarnation }, events, {}, { import: true })
      const lines = (await readFile(join(directory, `${session}.jsonl`), 'utf8')).trimEnd().split('\n')
      for (const [offset, line] of lines.slice(1).entries()) {
        const covered = line.slice(0, line.lastIndexOf('"crc":"') + '"crc":"'.length)
        const expected = crc32(`${incarnation} ${start + offset} ${covered}`)
          .toString(16)
          .padStart(8, '0')
        expect(line.slice(covered.length)).toBe(`${expected}"}}`)
      }
      expect(await readAll(backend, session)).toEqual(events)
    }
    await backend.close()
  })

  test('is read the same in both directions, whatever alphabets its lines are in', async () => {
    const directory = await scratchDirectory()
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    const contents = ['plain', 'ä', '✓'.repeat(40), 'x'.repeat(70_000), '"},{"', '\\', '😀', '']
    const events = Array.from({ length: 500 }, (_, index) =>
      message(index + 1, contents[(index * index + 3) % 8] ?? ''),
    )
    await backend.append('chat', { last: 0, incarnation: 'life' }, events, {})
    expect(await readAll(backend, 'chat')).toEqual(events)
    const backwards: EventRecord[] = []
    for await (const batch of backend.read('chat', [{ from: 3, to: 490 }], { reverse: true })) backwards.push(...batch)
    expect(backwards).toEqual(events.slice(2, 490).reverse())
    await backend.close()
  })

  test('is not mixed up with others that are read at the same time', async () => {
    const backend = jsonlBackend({ path: await scratchDirectory() })
    await backend.open()
    const sessions = Array.from({ length: 8 }, (_, index) => {
      const events = Array.from({ length: 300 }, (_none, seq) =>
        message(seq + 1, `${index} `.repeat(1000 + 40 * index)),
      )
      return { session: `chat-${index}`, events }
    })
    for (const { session, events } of sessions) {
      await backend.append(session, { last: 0, incarnation: session }, events, {})
    }
    for (let round = 0; round < 3; round++) {
      const read = await Promise.all(sessions.map(({ session }) => readAll(backend, session)))
      expect(read).toEqual(sessions.map(({ events }) => events))
    }
    await backend.close()
  })

  test('with a line that is not JSON although its checksum is right is damaged, and nobody quotes it', async () => {
    const { directory, file } = await makeStore(3)
    await editLines(file, (lines) =>
      lines.map((line, index) => {
        if (index !== 2) return line
        const broken = line.replace('"message 2"', "'message 2'")
        const covered = broken.slice(0, broken.lastIndexOf('"crc":"') + '"crc":"'.length)
        return `${covered}${crc32(`life of chat 2 ${covered}`).toString(16).padStart(8, '0')}"}}`
      }),
    )
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    const error: unknown = await readAll(backend, 'chat').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'CORRUPT', file })
    expect(inspect(error)).not.toContain('message 2')
    expect((await backend.maintenance?.verify())?.problems).toMatchObject([{ seq: 2, line: 3 }])
    await backend.close()
  })

  test.skipIf(!hasJq)('is read by jq, header included', async () => {
    const { file } = await makeStore(4)
    const { stdout } = await run('jq', ['-c', 'select(.type=="MessageAdded") | .message', file])
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([1, 2, 3, 4].map((seq) => message(seq)['message']))
  })

  test('gives back events whose fields look like the bookkeeping, in any order of fields', async () => {
    const directory = await scratchDirectory()
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    const text =
      '{"~":{"more":7,"length":3,"crc":"00000000"},"type":"Odd","seq":1,"__proto__":{"x":1},"id":"a","v":1,"at":0,"z":"\u2028,\\"~\\":{\\"more\\":0","":"\\ud800"}'
    const event = JSON.parse(text) as EventRecord
    await backend.append('odd', { last: 0, incarnation: 'i' }, [event], null)
    await backend.close()
    await backend.open()
    const [found] = await readAll(backend, 'odd')
    expect(JSON.stringify(found)).toBe(JSON.stringify(event))
    await backend.close()
  })
})

describe('a changed file', () => {
  test('is reported with file and line when a line was edited by hand', async () => {
    const { directory, file } = await makeStore(5)
    await editLines(file, (lines) =>
      lines.map((line, index) => (index === 2 ? line.replace('message 2', 'message X') : line)),
    )
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    await expect(readAll(backend, 'chat')).rejects.toMatchObject({
      code: 'CORRUPT',
      file,
      line: 3,
      seq: 2,
      session: 'chat',
      message: expect.stringContaining('If it was edited on purpose, write "edited" in place of the checksum'),
    })
    const report = await backend.maintenance?.verify()
    expect(report?.problems).toMatchObject([{ file, line: 3, seq: 2, session: 'chat' }])
    await backend.close()
  })

  test('that is empty is not advised to be marked as edited, because there is no checksum in it', async () => {
    const { directory, file } = await makeStore(5)
    await writeFile(file, '')
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    const error: unknown = await backend.head('chat').catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'CORRUPT', message: expect.stringContaining('turnlog repair --dry-run') })
    expect(String(error)).not.toContain('edited')
    await backend.close()
  })

  test('is damaged if two of its lines change places', async () => {
    const { directory, file } = await makeStore(6)
    await editLines(file, (lines) => [...lines.slice(0, 4), lines[5] ?? '', lines[4] ?? '', ...lines.slice(6)])
    await expectCorrupt(directory, 5)
  })

  test('is damaged if a line is taken out', async () => {
    const { directory, file } = await makeStore(6)
    await editLines(file, (lines) => lines.filter((_, index) => index !== 4))
    await expectCorrupt(directory, 5)
  })

  test('is damaged if a line of another session takes the place of one', async () => {
    const { directory, file } = await makeStore(6)
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    for (let last = 0; last < 6;) last = await appendMessages(backend, 'other', last, 1)
    await backend.close()
    const other = (await readFile(join(directory, 'other.jsonl'), 'utf8')).split('\n')
    await editLines(file, (lines) => lines.map((line, index) => (index === 4 ? (other[4] ?? '') : line)))
    await expectCorrupt(directory, 5)
  })

  test('is damaged if it was given the name of another session', async () => {
    const { directory, file } = await makeStore(2)
    await rename(file, join(directory, 'bob.jsonl'))
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    await expect(backend.head('bob')).rejects.toMatchObject({ code: 'CORRUPT', line: 1 })
    await backend.close()
  })

  test('is UNSUPPORTED if a newer release wrote it', async () => {
    const { directory, file } = await makeStore(2)
    await editLines(file, ([header = '', ...lines]) => {
      const text = header.replace('"v":1', '"v":2').replace(/[0-9a-f]{8}"}$/, '')
      return [`${text}${crc32(text).toString(16).padStart(8, '0')}"}`, ...lines]
    })
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    await expect(backend.head('chat')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(listAll(backend)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(appendMessages(backend, 'chat', 2, 1)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await backend.close()
  })
})

test('the fixture of format version 1 opens, with and without its sidecar', async () => {
  const fixture = join(import.meta.dirname, 'fixtures/format-v1')
  const expected = JSON.parse(await readFile(join(fixture, 'expected.json'), 'utf8')) as {
    readonly session: string
    readonly head: unknown
    readonly events: unknown
  }[]
  for (const withSidecar of [true, false]) {
    const directory = await scratchDirectory()
    await cp(join(fixture, 'store'), directory, { recursive: true })
    if (!withSidecar) await rm(join(directory, 'turnlog.heads'))
    const backend = jsonlBackend({ path: directory })
    expect((await backend.open()).findings).toEqual([])
    const heads = await listAll(backend)
    expect(heads.map(({ session }) => session)).toEqual(expected.map(({ session }) => session))
    for (const { session, head, events } of expected) {
      expect(await backend.head(session)).toEqual(head)
      expect(await readAll(backend, session)).toEqual(events)
    }
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
    await backend.close()
    expect((await readdir(directory)).filter((name) => name.includes('torn'))).toEqual([])
  }
})

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

const SEED = 0x1234_5678

const content = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.integer({ min: 1, max: 200_000 }).map((length) => 'a'.repeat(length)),
  fc.integer({ min: 1, max: 200_000 }).map((length) => '語'.repeat(length)),
)
const places = fc.oneof(fc.constant(2 ** 52), fc.nat())

test('every line of a batch is whole, whatever its texts, its size and its numbers', () => {
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 5 }), content, places, (contents, metadata, place) => {
      const texts = contents.map((text) => JSON.stringify({ type: 'MessageAdded', text }))
      const start = Math.max(1, place - texts.length + 1)
      const last = start + texts.length - 1
      const projection = { metadata }
      const { bytes } = encodeBatch({
        header: undefined,
        texts,
        start,
        first: 1,
        projectionText: JSON.stringify(projection),
        seed: SEED,
        position: place,
        liveStart: 0,
      })
      let at = 0
      for (const [index, text] of texts.entries()) {
        const end = bytes.indexOf(0x0a, at)
        const frame = frameLine(bytes, at, end)
        expect(frame).toMatchObject({ more: texts.length - 1 - index })
        if (frame === undefined) return
        expect(hasValidChecksum(bytes, frame, SEED, start + index)).toBe(true)
        expect(`${bytes.toString('utf8', at, frame.eventEnd)}}`).toBe(text)
        if (frame.more === 0) {
          expect(parseBatchEnd(bytes, frame)).toMatchObject({ first: 1, last, lines: texts.length, projection })
        }
        at = end + 1
      }
      expect(at).toBe(bytes.length)
    }),
    { numRuns: 100 },
  )
})

const LARGEST = Number.MAX_SAFE_INTEGER
const LIFE = 'life'

async function openEmpty(): Promise<Backend> {
  const backend = jsonlBackendWith(
    { path: '/store' },
    { fileSystem: new SimulatedFileSystem(), host: simulatedHost(1) },
  )
  await backend.open()
  onTestFinished(() => backend.close())
  return backend
}

test('events up to the largest safe integer are kept, and found to be whole', async () => {
  const backend = await openEmpty()
  const events = [LARGEST - 2, LARGEST - 1, LARGEST].map((seq) => message(seq))
  await backend.append('chat', { last: 0, incarnation: LIFE }, events, null, { import: true })
  await backend.close()
  await backend.open()
  expect(await readAll(backend, 'chat')).toEqual(events)
  expect(await backend.maintenance?.verify()).toMatchObject({ events: 3, problems: [] })
})

test('an event behind the largest safe integer is refused, and nothing is written', async () => {
  const backend = await openEmpty()
  const none = { last: 0, incarnation: LIFE }
  const refusal = { code: 'INVALID_ARGUMENT', session: 'chat' }
  const events = [message(LARGEST), message(LARGEST + 1)]
  await expect(backend.append('chat', none, events, null, { import: true })).rejects.toMatchObject(refusal)
  expect(await backend.head('chat')).toBe(undefined)
  await backend.append('chat', none, [message(LARGEST)], null, { import: true })
  const next = backend.append('chat', { last: LARGEST, incarnation: LIFE }, [message(LARGEST + 1)], null)
  await expect(next).rejects.toMatchObject(refusal)
  expect(await readAll(backend, 'chat')).toEqual([message(LARGEST)])
})
