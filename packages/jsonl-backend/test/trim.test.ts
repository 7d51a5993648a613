import { describe, expect, test } from 'vitest'
import type { Backend, EventRecord } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { countingFileSystem } from './counting-file-system.ts'
import { appendMessages, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const FILE = '/store/chat.jsonl'

function make(
  fileSystem: SimulatedFileSystem,
  options: { maxOpenFiles?: number; rewriteWhenTrimmed?: number } = {},
): Backend {
  return jsonlBackendWith({ path: '/store', ...options }, { fileSystem, host: simulatedHost(1) })
}

async function reopened(backend: Backend): Promise<Backend> {
  await backend.close()
  await backend.open()
  return backend
}

describe('trimmed events', () => {
  test('leave the file when they are more than half of it', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    await appendMessages(backend, 'chat', 0, 20)
    await appendMessages(backend, 'chat', 20, 1, { trimBefore: 6 })
    await reopened(backend)
    expect(fileSystem.content(FILE).includes('"message 5"')).toBe(true)
    await appendMessages(backend, 'chat', 21, 1, { trimBefore: 18 })
    await reopened(backend)
    expect(fileSystem.content(FILE).includes('"message 17"')).toBe(false)
    expect(fileSystem.content(FILE).includes('"message 18"')).toBe(true)
    expect(await readAll(backend, 'chat')).toEqual([18, 19, 20, 21, 22].map((seq) => message(seq)))
    await appendMessages(backend, 'chat', 22, 1)
    await reopened(backend)
    expect(await backend.head('chat')).toMatchObject({ first: 18, last: 23 })
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
    await backend.close()
  })

  test('may be all of them: the head survives in the header', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    await appendMessages(backend, 'chat', 0, 3, { trimBefore: 4 })
    await reopened(backend)
    expect(fileSystem.content(FILE).includes('"message 3"')).toBe(false)
    expect(await backend.head('chat')).toEqual({
      first: 4,
      last: 3,
      bytes: 0,
      incarnation: 'life of chat',
      projection: { messages: 3 },
    })
    await appendMessages(backend, 'chat', 3, 1)
    await reopened(backend)
    expect(await readAll(backend, 'chat')).toEqual([message(4)])
    await backend.close()
  })

  test('stay as long as the option says, and reclaim removes them now', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem, { rewriteWhenTrimmed: 1 })
    await backend.open()
    await appendMessages(backend, 'chat', 0, 20)
    await appendMessages(backend, 'chat', 20, 1, { trimBefore: 20 })
    await reopened(backend)
    const before = fileSystem.content(FILE).length
    expect(fileSystem.content(FILE).includes('"message 1"')).toBe(true)
    const freed = await backend.maintenance?.reclaim()
    expect(freed).toEqual({ bytesFreed: before - fileSystem.content(FILE).length })
    expect(fileSystem.content(FILE).includes('"message 1"')).toBe(false)
    expect(await backend.maintenance?.reclaim()).toEqual({ bytesFreed: 0 })
    await backend.close()
  })

  test('are still there for a read that began before', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    const large = 'x'.repeat(40_000)
    for (let seq = 1; seq <= 60; seq++) {
      await backend.append('chat', { last: seq - 1, incarnation: 'life of chat' }, [message(seq, large)], null)
    }
    const events: EventRecord[] = []
    for await (const batch of backend.read('chat', [{ from: 1, to: 60 }])) {
      if (events.length === 0) {
        await appendMessages(backend, 'chat', 60, 1, { trimBefore: 61 })
        await backend.maintenance?.reclaim()
      }
      events.push(...batch)
    }
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    expect(await readAll(backend, 'chat')).toEqual([message(61)])
    await backend.close()
    expect(fileSystem.openFiles).toBe(0)
  })

  test.each([
    ['lost', (bytes: Buffer) => bytes.indexOf('\n', bytes.indexOf('{"seq":1,')), 0x0b],
    ['gained', (bytes: Buffer) => bytes.indexOf('*'), 0x0a],
  ])('with damage that %s a newline stay, and so does every other byte', async (_what, find, byte) => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    const events = [message(1, '*'.repeat(600)), message(2), message(3)]
    await backend.append('chat', { last: 0, incarnation: 'life of chat' }, events, null)
    await appendMessages(backend, 'chat', 3, 7)
    await backend.close()
    const damaged = Buffer.from(fileSystem.content(FILE))
    damaged[find(damaged)] = byte
    fileSystem.replaceContent(FILE, damaged)
    await backend.open()
    await appendMessages(backend, 'chat', 10, 1, { trimBefore: 4 })
    await expect(backend.maintenance?.reclaim()).rejects.toMatchObject({ code: 'CORRUPT', session: 'chat', seq: 4 })
    await backend.close()
    expect(fileSystem.content(FILE).subarray(0, damaged.length)).toEqual(damaged)
    await backend.maintenance?.repair({ apply: true })
    await backend.open()
    expect((await readAll(backend, 'chat')).map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8, 9, 10, 11])
    await backend.close()
  })

  test('of a file whose new name could not be synced: it is written again before the next append counts', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem, { rewriteWhenTrimmed: 1 })
    await backend.open()
    await appendMessages(backend, 'chat', 0, 20)
    await appendMessages(backend, 'chat', 20, 1, { trimBefore: 20 })
    fileSystem.fault = (_operation, kind) => (kind === 'syncDirectory' ? 'EIO' : undefined)
    await expect(backend.maintenance?.reclaim()).rejects.toMatchObject({ code: 'IO' })
    fileSystem.fault = () => undefined
    await appendMessages(backend, 'chat', 21, 1)
    const crashed = SimulatedFileSystem.afterCrash(fileSystem.crashPoint('after the append'), () => false)
    const again = jsonlBackendWith({ path: '/store' }, { fileSystem: crashed, host: simulatedHost(2) })
    await again.open()
    expect(await readAll(again, 'chat')).toEqual([20, 21, 22].map((seq) => message(seq)))
    await again.close()
    await backend.close()
  })

  test('do not hold up appends and reads in between', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    let last = await appendMessages(backend, 'chat', 0, 4)
    for (let round = 0; round < 200; round++) {
      const running = appendMessages(backend, 'chat', last, 2, { trimBefore: last - 1 })
      const reading = readAll(backend, 'chat')
      last = await running
      const seqs = (await reading).map(({ seq }) => seq)
      expect(seqs.at(-1)).toBeGreaterThanOrEqual(last - 2)
      expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index))
    }
    await backend.close()
  })
})

describe('reading', () => {
  test('a short view of a long file reads neither what lies between nor what is dead', async () => {
    const simulated = new SimulatedFileSystem()
    const writer = make(simulated)
    await writer.open()
    for (let last = 0; last < 4000;) last = await appendMessages(writer, 'chat', last, 500)
    await writer.close()
    const { fileSystem, counts } = countingFileSystem(simulated)
    const backend = jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(2) })
    await backend.open()
    const size = simulated.content(FILE).length
    const events: EventRecord[] = []
    const before = counts.bytesRead
    for await (const batch of backend.read('chat', [
      { from: 1, to: 1 },
      { from: 3981, to: 4000 },
    ])) {
      events.push(...batch)
    }
    expect(events.map(({ seq }) => seq)).toEqual([1, ...Array.from({ length: 20 }, (_, index) => 3981 + index)])
    expect(size).toBeGreaterThan(500_000)
    expect(counts.bytesRead - before).toBeLessThan(size / 1.5)
    const again = counts.bytesRead
    for await (const batch of backend.read('chat', [{ from: 3981, to: 4000 }])) expect(batch).toHaveLength(20)
    expect(counts.bytesRead - again).toBeLessThan(100_000)
    await backend.close()
  })

  test('finds any range from any place, forwards and backwards', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    for (let seq = 1; seq <= 300; seq++) {
      const event = message(seq, 'x'.repeat((seq * 7919) % 9000))
      await backend.append('chat', { last: seq - 1, incarnation: 'i' }, [event], null)
    }
    for (const [from, to] of [
      [150, 150],
      [1, 300],
      [299, 300],
      [17, 240],
      [1, 1],
      [200, 210],
    ] as const) {
      for (const reverse of [false, true]) {
        for (const fresh of [false, true]) {
          if (fresh) await reopened(backend)
          const seqs: number[] = []
          for await (const batch of backend.read('chat', [{ from, to }], { reverse }))
            seqs.push(...batch.map(({ seq }) => seq))
          const expected = Array.from({ length: to - from + 1 }, (_, index) => from + index)
          expect(seqs).toEqual(reverse ? expected.reverse() : expected)
        }
      }
    }
    await backend.close()
  })
})

describe('open files', () => {
  test('are at most as many as the option says when nothing is under way', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem, { maxOpenFiles: 5 })
    await backend.open()
    await Promise.all(Array.from({ length: 40 }, (_, index) => appendMessages(backend, `s${index}`, 0, 1)))
    expect(fileSystem.openFiles).toBeLessThanOrEqual(5)
    for (let index = 0; index < 40; index++) expect(await readAll(backend, `s${index}`)).toHaveLength(1)
    expect(fileSystem.openFiles).toBeLessThanOrEqual(5)
    await backend.close()
    expect(fileSystem.openFiles).toBe(0)
  })

  test('that are idle are closed when the process has too many', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem, { maxOpenFiles: 3 })
    await backend.open()
    for (let index = 0; index < 6; index++) await appendMessages(backend, `s${index}`, 0, 1)
    fileSystem.fault = (_operation, kind) => (kind === 'open' && fileSystem.openFiles >= 3 ? 'EMFILE' : undefined)
    for (let index = 0; index < 6; index++) await appendMessages(backend, `s${index}`, 1, 1)
    fileSystem.fault = () => undefined
    await backend.close()
  })
})
