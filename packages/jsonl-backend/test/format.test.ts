import { execFile } from 'node:child_process'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { EventRecord } from '@turnlog/core/backend'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { appendMessages, listAll, message, readAll, scratchDirectory } from './sample.ts'

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
