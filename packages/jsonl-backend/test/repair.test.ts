import { describe, expect, test } from 'vitest'
import type { Backend, RepairReport } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, listAll, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const FILE = '/store/chat.jsonl'

function make(fileSystem: SimulatedFileSystem): Backend {
  return jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
}

/** Events 1, then 2 and 3 in one batch, then 4 and 5. */
async function makeDamaged(damage: (lines: string[]) => string[]): Promise<SimulatedFileSystem> {
  const fileSystem = new SimulatedFileSystem()
  const backend = make(fileSystem)
  await backend.open()
  await appendMessages(backend, 'chat', 0, 1)
  await appendMessages(backend, 'chat', 1, 2)
  await appendMessages(backend, 'chat', 3, 1)
  await appendMessages(backend, 'chat', 4, 1)
  await appendMessages(backend, 'other', 0, 1)
  await backend.close()
  const lines = fileSystem.content(FILE).toString().split('\n')
  fileSystem.replaceContent(FILE, Buffer.from(damage(lines).join('\n')))
  return fileSystem
}

/** Looks first, which changes nothing, then repairs; the result must be whole. */
async function repair(
  fileSystem: SimulatedFileSystem,
): Promise<{ readonly backend: Backend; readonly report: RepairReport }> {
  const backend = make(fileSystem)
  const damaged = fileSystem.content(FILE)
  const looked = await backend.maintenance?.repair()
  expect(fileSystem.content(FILE)).toBe(damaged)
  const report = await backend.maintenance?.repair({ apply: true })
  expect(report?.actions).toEqual(looked?.actions)
  expect(looked?.applied).toBe(false)
  if (report?.backup?.startsWith(FILE) === true) expect(fileSystem.content(report.backup)).toEqual(damaged)
  await backend.open()
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
  expect(await readAll(backend, 'other')).toEqual([message(1)])
  return { backend, report: report ?? { applied: false, actions: [] } }
}

describe('repair', () => {
  test('does nothing to a good store', async () => {
    const { backend, report } = await repair(await makeDamaged((lines) => lines))
    expect(report).toEqual({ applied: true, actions: [] })
    await backend.close()
  })

  test('computes checksums anew for lines that were edited on purpose', async () => {
    const fileSystem = await makeDamaged((lines) =>
      lines.map((line) =>
        line.includes('"message 2"')
          ? line.replace('"message 2"', '"a much longer text, ä"').replace(/"crc":"[0-9a-f]{8}"/, '"crc":"edited"')
          : line,
      ),
    )
    const { backend, report } = await repair(fileSystem)
    expect(report.actions).toMatchObject([
      { session: 'chat', seq: 2, line: 3, file: FILE, message: /checksum of event 2 anew/ },
    ])
    expect(report.backup).toBe(`${FILE}.damaged-1`)
    expect((await readAll(backend, 'chat'))[1]).toEqual(message(2, 'a much longer text, ä'))
    await appendMessages(backend, 'chat', 5, 1)
    await backend.close()
  })

  test('understands lines that an editor ended in CR LF', async () => {
    const { backend, report } = await repair(
      await makeDamaged((lines) => lines.map((line) => (line === '' ? '' : `${line}\r`))),
    )
    expect(report.actions.length).toBe(6)
    expect(await readAll(backend, 'chat')).toEqual([1, 2, 3, 4, 5].map((seq) => message(seq)))
    expect(await backend.head('chat')).toMatchObject({ last: 5, projection: { messages: 5 } })
    await backend.close()
  })

  test('takes in a line that a person added', async () => {
    const { backend } = await repair(
      await makeDamaged((lines) => [...lines.slice(0, -1), JSON.stringify(message(6)), '']),
    )
    expect(await readAll(backend, 'chat')).toEqual([1, 2, 3, 4, 5, 6].map((seq) => message(seq)))
    await backend.close()
  })

  test('does not take damage for an edit, even if it is good JSON', async () => {
    const { backend, report } = await repair(
      await makeDamaged((lines) => lines.map((line) => line.replace('"message 5"', '"message X"'))),
    )
    expect(report.actions[0]).toMatchObject({ session: 'chat', seq: 5, line: 6 })
    expect(await readAll(backend, 'chat')).toEqual([1, 2, 3, 4].map((seq) => message(seq)))
    await backend.close()
  })

  test.each([
    [1, [2, 3, 4, 5]],
    [2, [3, 4, 5]],
    [3, [4, 5]],
    [4, [1, 2, 3]],
    [5, [1, 2, 3, 4]],
  ])('keeps the longest stretch if the line of event %i is garbage', async (seq, kept) => {
    const fileSystem = await makeDamaged((lines) =>
      lines.map((line, index) => (index === seq ? '\u0000garbage' : line)),
    )
    const { backend, report } = await repair(fileSystem)
    expect(report.actions[0]).toMatchObject({ seq, line: seq + 1, session: 'chat' })
    expect(await readAll(backend, 'chat')).toEqual(kept.map((number) => message(number)))
    expect(await backend.head('chat')).toMatchObject({ first: kept[0], last: kept.at(-1) })
    await appendMessages(backend, 'chat', kept.at(-1) ?? 0, 1)
    await backend.close()
  })

  test('keeps the longest stretch if lines were taken out', async () => {
    const { backend } = await repair(await makeDamaged((lines) => lines.filter((_, index) => index !== 2)))
    expect(await readAll(backend, 'chat')).toEqual([3, 4, 5].map((seq) => message(seq)))
    await backend.close()
  })

  test('drops a line that is there twice', async () => {
    const { backend } = await repair(
      await makeDamaged((lines) => [...lines.slice(0, 4), lines[2] ?? '', ...lines.slice(4)]),
    )
    expect(await readAll(backend, 'chat')).toEqual([1, 2, 3, 4, 5].map((seq) => message(seq)))
    await backend.close()
  })

  test('keeps what can be read of an unfinished end that the sidecar knows to have been finished', async () => {
    const { backend, report } = await repair(await makeDamaged((lines) => [...lines.slice(0, 3), '{"seq":3,']))
    expect(await readAll(backend, 'chat')).toEqual([message(1), message(2)])
    expect(report.actions.map(({ message: text }) => text)).toEqual([
      'Drop event 3: its line is not finished.',
      'Accept that the session ends with event 2, although event 5 had been recorded.',
    ])
    await backend.close()
  })

  test('cuts off an unfinished end of which nobody knows', async () => {
    const fileSystem = await makeDamaged((lines) => [...lines.slice(0, 3), '{"seq":3,'])
    await fileSystem.remove('/store/turnlog.heads')
    const { backend, report } = await repair(fileSystem)
    expect(await readAll(backend, 'chat')).toEqual([message(1)])
    expect(report.actions.map(({ message: text }) => text)).toEqual([
      'Cut off 9 bytes of an unfinished last line.',
      'Cut off event 2, of an append that was never finished.',
    ])
    await backend.close()
  })

  test('writes a damaged header anew', async () => {
    const { backend } = await repair(await makeDamaged(([, ...lines]) => ['garbage', ...lines]))
    expect(await readAll(backend, 'chat')).toEqual([1, 2, 3, 4, 5].map((seq) => message(seq)))
    await backend.close()
    const other = await repair(
      await makeDamaged(([header = '', ...lines]) => [header.replace('"crc":"', '"crc":"f'), ...lines]),
    )
    expect(await other.backend.head('chat')).toMatchObject({ incarnation: 'life of chat', last: 5 })
    await other.backend.close()
  })

  test('sets aside a file of which nothing can be read', async () => {
    const fileSystem = await makeDamaged(() => [])
    const { backend } = await repair(fileSystem)
    expect((await listAll(backend)).map(({ session }) => session)).toEqual(['other'])
    await backend.close()
  })

  test('names the events in a file of which nobody knows the session', async () => {
    const fileSystem = await makeDamaged((lines) => lines)
    const nameless = `/store/${'a'.repeat(96)}~${'0'.repeat(64)}.jsonl`
    const file = await fileSystem.open(nameless, { access: 'create' })
    const [, one = '', , three = '', four = ''] = fileSystem.content(FILE).toString().split('\n')
    await file.write(Buffer.from(['garbage', one, 'garbage', three, four, '{"seq":5}', ''].join('\n')), 0)
    await file.close()
    const { backend, report } = await repair(fileSystem)
    expect(report.actions.map(({ message: text }) => text)).toEqual([
      'Neither the name of the file nor its first line tells which session it is. Drop event 1 and events 3 to 4, which can be read.',
      'Set the file aside: nothing in it can be kept.',
    ])
    await backend.close()
  })

  test('wants a closed store and its lock', async () => {
    const fileSystem = await makeDamaged((lines) => lines)
    const backend = make(fileSystem)
    await backend.open()
    await expect(backend.maintenance?.repair({ apply: true })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    const host = { ...simulatedHost(2), checkOwner: () => 'alive' as const }
    const other = jsonlBackendWith({ path: '/store' }, { fileSystem, host })
    await expect(other.maintenance?.repair({ apply: true })).rejects.toMatchObject({ code: 'LOCKED' })
    await backend.close()
  })
})
