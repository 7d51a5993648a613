import { describe, expect, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import type { FileSystem } from '@turnlog/jsonl-backend/testing'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { countingFileSystem } from './counting-file-system.ts'
import { appendMessages, listAll, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const SIDECAR = '/store/turnlog.heads'

function make(fileSystem: FileSystem, durability: 'sync' | 'os' = 'sync'): Backend {
  return jsonlBackendWith({ path: '/store', durability }, { fileSystem, host: simulatedHost(1) })
}

async function makeStore(sessions: number, durability: 'sync' | 'os' = 'sync'): Promise<SimulatedFileSystem> {
  const fileSystem = new SimulatedFileSystem()
  const backend = make(fileSystem, durability)
  await backend.open()
  for (let index = 0; index < sessions; index++) await appendMessages(backend, `session-${index}`, 0, 2)
  await backend.close()
  return fileSystem
}

async function openedFor(simulated: SimulatedFileSystem, readOnly: boolean): Promise<readonly string[]> {
  const { fileSystem, counts } = countingFileSystem(simulated)
  const backend = make(fileSystem)
  await backend.open({ readOnly })
  expect(await listAll(backend)).toHaveLength(30)
  expect(await listAll(backend)).toHaveLength(30)
  await backend.close()
  return counts.opened.filter((name) => name.endsWith('.jsonl'))
}

describe('the sidecar', () => {
  test('lets a store be opened and listed without opening its files, by writers and by readers', async () => {
    const simulated = await makeStore(30)
    expect(await openedFor(simulated, false)).toEqual([])
    expect(await openedFor(simulated, true)).toEqual([])
  })

  test('is used for the files that did not change, and the others are looked into', async () => {
    const simulated = await makeStore(30)
    const stale = simulated.content(SIDECAR)
    const backend = make(simulated)
    await backend.open()
    await appendMessages(backend, 'session-7', 2, 1)
    await backend.close()
    simulated.replaceContent(SIDECAR, stale)
    expect(await openedFor(simulated, true)).toEqual(['session-7.jsonl'])
  })

  test('grows by what changed and is rewritten when most of it is old', async () => {
    const simulated = await makeStore(3)
    const before = simulated.content(SIDECAR)
    const backend = make(simulated)
    await backend.open()
    await appendMessages(backend, 'session-1', 2, 1)
    await backend.close()
    const after = simulated.content(SIDECAR)
    expect(after.subarray(0, before.length)).toEqual(before)
    expect(after.subarray(before.length).toString().trim().split('\n')).toHaveLength(1)
    for (let round = 0; round < 1100; round++) {
      await backend.open()
      await appendMessages(backend, 'session-1', 3 + round, 1)
      await backend.close()
    }
    expect(simulated.content(SIDECAR).toString().trim().split('\n').length).toBeLessThan(1100)
    await backend.open()
    expect(await backend.head('session-1')).toMatchObject({ last: 1103 })
    await backend.close()
  })

  test('is brought up to date during a long run, so that a crash does not cost a look at every file', async () => {
    const simulated = await makeStore(1)
    const backend = make(simulated)
    await backend.open()
    for (let last = 2; last < 1100; last++) await appendMessages(backend, 'session-0', last, 1)
    for (let index = 1; index <= 4; index++) await appendMessages(backend, `session-${index}`, 0, 1)
    expect(simulated.content(SIDECAR).toString()).toMatch(/"last":1\d\d\d,/)
    await backend.close()
  })

  test.each([
    ['flipped bytes', (content: Buffer) => content.map((byte, index) => (index % 97 === 96 ? byte ^ 4 : byte))],
    ['a cut', (content: Buffer) => content.subarray(0, content.length / 3)],
    ['another content', () => Buffer.from('{"something":"else"}\n')],
    ['nothing in it', () => Buffer.alloc(0)],
  ])('with %s changes no answer', async (_what, damage) => {
    const simulated = await makeStore(30)
    simulated.replaceContent(SIDECAR, Buffer.from(damage(simulated.content(SIDECAR))))
    const backend = make(simulated)
    await backend.open()
    expect(await listAll(backend)).toHaveLength(30)
    for (const { session, last } of await listAll(backend)) {
      expect(last).toBe(2)
      expect(await readAll(backend, session)).toEqual([message(1), message(2)])
    }
    await backend.close()
    expect(await openedFor(simulated, true)).toEqual([])
  })

  test('that is gone is made again', async () => {
    const simulated = await makeStore(30)
    await simulated.remove(SIDECAR)
    expect(await openedFor(simulated, false)).toHaveLength(30)
    expect(await openedFor(simulated, false)).toEqual([])
  })
})

describe('a session file that is gone', () => {
  test('is missed after a crash too, also when another session was erased before it', async () => {
    const simulated = await makeStore(3)
    const crashed = make(simulated)
    await crashed.open()
    await crashed.erase('session-0', 2)
    expect(simulated.content(SIDECAR).includes('session-0')).toBe(false)
    await simulated.remove('/store/session-1.jsonl')
    const backend = jsonlBackendWith({ path: '/store' }, { fileSystem: simulated, host: simulatedHost(2) })
    await backend.open()
    await expect(backend.head('session-1')).rejects.toMatchObject({ code: 'CORRUPT', session: 'session-1' })
    expect(await backend.head('session-0')).toBe(undefined)
    await backend.close()
  })

  test('is CORRUPT and not an empty session, and repair accepts the loss', async () => {
    const simulated = await makeStore(3)
    await simulated.remove('/store/session-1.jsonl')
    const backend = make(simulated)
    await backend.open()
    await expect(backend.head('session-1')).rejects.toMatchObject({ code: 'CORRUPT', session: 'session-1' })
    await expect(appendMessages(backend, 'session-1', 0, 1)).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(await readAll(backend, 'session-2')).toHaveLength(2)
    await expect(listAll(backend)).rejects.toMatchObject({ code: 'CORRUPT', session: 'session-1' })
    expect((await backend.maintenance?.verify())?.problems).toMatchObject([{ session: 'session-1' }])
    await backend.close()
    expect((await backend.maintenance?.repair())?.actions).toMatchObject([{ session: 'session-1' }])
    await backend.maintenance?.repair({ apply: true })
    await backend.open()
    expect((await listAll(backend)).map(({ session }) => session)).toEqual(['session-0', 'session-2'])
    await backend.close()
  })

  test('is still missed after the sidecar was written anew', async () => {
    const simulated = await makeStore(3)
    await simulated.remove('/store/session-1.jsonl')
    simulated.replaceContent(SIDECAR, Buffer.concat([simulated.content(SIDECAR), Buffer.alloc(1100, '\n')]))
    const backend = make(simulated)
    await backend.open()
    await appendMessages(backend, 'session-0', 2, 1)
    await backend.close()
    expect(simulated.content(SIDECAR).toString().split('\n').length).toBeLessThan(10)
    await backend.open()
    await expect(backend.head('session-1')).rejects.toMatchObject({ code: 'CORRUPT', session: 'session-1' })
    await backend.close()
  })

  test('is still missed after the repair of another session', async () => {
    const simulated = await makeStore(3)
    await simulated.remove('/store/session-1.jsonl')
    const file = simulated.content('/store/session-2.jsonl')
    simulated.replaceContent('/store/session-2.jsonl', Buffer.concat([file, Buffer.from('{"x')]))
    const backend = make(simulated)
    const report = await backend.maintenance?.repair({ session: 'session-2', apply: true })
    expect(report?.actions).toMatchObject([{ session: 'session-2' }])
    await backend.open()
    await expect(backend.head('session-1')).rejects.toMatchObject({ code: 'CORRUPT', session: 'session-1' })
    expect(await readAll(backend, 'session-2')).toHaveLength(2)
    await backend.close()
  })

  test('is missed by a reader too, whatever it asks first, until the file is back', async () => {
    const simulated = await makeStore(3)
    const file = simulated.content('/store/session-1.jsonl')
    await simulated.remove('/store/session-1.jsonl')
    const reader = make(simulated)
    await reader.open({ readOnly: true })
    for (let round = 0; round < 2; round++) {
      await expect(listAll(reader)).rejects.toMatchObject({ code: 'CORRUPT', session: 'session-1' })
      expect((await reader.maintenance?.verify())?.problems).toMatchObject([{ session: 'session-1' }])
      await expect(reader.head('session-1')).rejects.toMatchObject({ code: 'CORRUPT', session: 'session-1' })
      await expect(readAll(reader, 'session-1')).rejects.toMatchObject({ code: 'CORRUPT' })
    }
    const restored = await simulated.open('/store/session-1.jsonl', { access: 'create' })
    await restored.write(file, 0)
    await restored.close()
    expect(await reader.head('session-1')).toMatchObject({ last: 2 })
    expect(await listAll(reader)).toHaveLength(3)
    expect((await reader.maintenance?.verify())?.problems).toEqual([])
    await reader.close()
  })

  test('because its session was erased while a reader is open is missed by nobody', async () => {
    for (const isWriterFirst of [true, false]) {
      const simulated = await makeStore(3)
      const writer = make(simulated)
      // Of the same process: a reader of another one takes it for dead.
      const reader = make(simulated)
      if (isWriterFirst) await writer.open()
      await reader.open({ readOnly: true })
      if (!isWriterFirst) await writer.open()
      await writer.erase('session-1', 2)
      expect(await reader.head('session-1')).toBe(undefined)
      await writer.erase('session-2', 2)
      expect(await listAll(reader)).toMatchObject([{ session: 'session-0' }])
      expect((await reader.maintenance?.verify())?.problems).toEqual([])
      await reader.close()
      await writer.close()
    }
  })

  test('is a reported loss if nobody waited for the disk', async () => {
    const simulated = await makeStore(3, 'os')
    await simulated.remove('/store/session-1.jsonl')
    const file = simulated.content('/store/session-2.jsonl')
    simulated.replaceContent('/store/session-2.jsonl', file.subarray(0, file.indexOf('{"seq":2')))
    const backend = make(simulated)
    const report = await backend.open()
    expect(report.findings.map(({ kind, session }) => `${kind} ${session}`).toSorted()).toEqual([
      'lost-tail session-1',
      'lost-tail session-2',
      'torn-tail session-2',
    ])
    expect(await backend.head('session-1')).toBe(undefined)
    await backend.close()
  })

  test('lists all the others before it is reported', async () => {
    const simulated = await makeStore(3)
    await simulated.remove('/store/session-0.jsonl')
    const backend = make(simulated)
    await backend.open()
    const seen: string[] = []
    await expect(
      (async () => {
        for await (const batch of backend.list()) seen.push(...batch.map(({ session }) => session))
      })(),
    ).rejects.toMatchObject({ code: 'CORRUPT' })
    expect(seen).toEqual(['session-1', 'session-2'])
    await backend.close()
  })
})
