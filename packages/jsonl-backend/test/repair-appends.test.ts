import { describe, expect, test } from 'vitest'
import type { AppendOptions, Backend, EventRecord, Head } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const FILE = '/store/chat.jsonl'
const SIDECAR = '/store/turnlog.heads'
const WITH_AND_WITHOUT_SIDECAR = [['with a sidecar'], ['without a sidecar']] as const

interface Damaged {
  /** Events of each append. */
  readonly appends: readonly number[]
  readonly options?: AppendOptions
  /** Appends that the sidecar was never told of, as after a crash. */
  readonly unknown?: readonly number[]
  readonly sidecar?: boolean
  readonly damage: (file: Buffer) => Buffer
}

interface Repaired {
  readonly messages: readonly string[]
  readonly kept: readonly EventRecord[]
  readonly head: Head | undefined
}

function make(fileSystem: SimulatedFileSystem): Backend {
  return jsonlBackendWith({ path: '/store', rewriteWhenTrimmed: 1 }, { fileSystem, host: simulatedHost(1) })
}

async function append(
  backend: Backend,
  appends: readonly number[],
  from: number,
  options?: AppendOptions,
): Promise<number> {
  let last = from
  for (const [index, count] of appends.entries()) {
    last = await appendMessages(backend, 'chat', last, count, index === appends.length - 1 ? options : undefined)
  }
  return last
}

/** Damages a file and repairs it: then it opens, is whole, takes the next append, and a second repair finds nothing. */
async function repair({ appends, options, unknown = [], sidecar = true, damage }: Damaged): Promise<Repaired> {
  const fileSystem = new SimulatedFileSystem()
  const backend = make(fileSystem)
  await backend.open()
  const last = await append(backend, appends, 0, options)
  await backend.close()
  if (unknown.length > 0) {
    const known = fileSystem.content(SIDECAR)
    await backend.open()
    await append(backend, unknown, last)
    await backend.close()
    fileSystem.replaceContent(SIDECAR, known)
  }
  if (!sidecar) await fileSystem.remove(SIDECAR)
  fileSystem.replaceContent(FILE, damage(fileSystem.content(FILE)))
  const report = await backend.maintenance?.repair({ apply: true })
  expect((await backend.maintenance?.repair())?.actions).toEqual([])
  expect((await backend.open()).findings).toEqual([])
  const head = await backend.head('chat')
  const kept = await readAll(backend, 'chat')
  if (head !== undefined) await appendMessages(backend, 'chat', head.last, 2)
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
  await backend.close()
  return { messages: report?.actions.map((action) => action.message) ?? [], kept, head }
}

function messages(from: number, to: number): EventRecord[] {
  return Array.from({ length: to - from + 1 }, (_, index) => message(from + index))
}

function cutOff(bytes: number): (file: Buffer) => Buffer {
  return (file) => file.subarray(0, -bytes)
}

/** Changes the lines of events; `undefined` takes one out. */
function change(seqs: readonly number[], to: (line: string) => string | undefined): (file: Buffer) => Buffer {
  return (file) => {
    const lines = file.toString().split('\n')
    const changed = lines.map((line, index) => (seqs.includes(index) ? to(line) : line))
    return Buffer.from(changed.filter((line) => line !== undefined).join('\n'))
  }
}

function wrong(...seqs: number[]): (file: Buffer) => Buffer {
  return change(seqs, (line) => line.replace('message', 'messXYe'))
}

function missing(...seqs: number[]): (file: Buffer) => Buffer {
  return change(seqs, () => undefined)
}

/** As after a crash: the sectors in which a line lies were never written. */
function unwritten(...seqs: number[]): (file: Buffer) => Buffer {
  return change(seqs, (line) => '\0'.repeat(line.length))
}

/** As after a crash in the middle of an append: the file ends within the line of an event. */
function endingIn(seq: number): (file: Buffer) => Buffer {
  return (file) => file.subarray(0, file.indexOf(`"message ${seq}"`))
}

describe('repair of a session that was written by one append', () => {
  test.each(WITH_AND_WITHOUT_SIDECAR)('keeps every whole line if its end is cut off, %s', async (which) => {
    const sidecar = which === 'with a sidecar'
    const { messages: told, kept, head } = await repair({ appends: [30], sidecar, damage: cutOff(2) })
    expect(kept).toEqual(messages(1, 29))
    expect(head).toMatchObject({ first: 1, last: 29, projection: null })
    const accepted = 'Accept that the session ends with event 29, although event 30 had been recorded.'
    expect(told).toEqual(['Drop event 30: its line is not finished.', ...(sidecar ? [accepted] : [])])
  })

  test.each(WITH_AND_WITHOUT_SIDECAR)('keeps all but the last line if that is damaged, %s', async (which) => {
    const { messages: told, kept } = await repair({
      appends: [40],
      sidecar: which === 'with a sidecar',
      damage: wrong(40),
    })
    expect(kept).toEqual(messages(1, 39))
    expect(told[0]).toBe('Drop event 40: its line is damaged.')
  })

  test.each(WITH_AND_WITHOUT_SIDECAR)('keeps all but the last lines if those are missing, %s', async (which) => {
    const { messages: told, kept } = await repair({
      appends: [40],
      sidecar: which === 'with a sidecar',
      damage: missing(39, 40),
    })
    expect(kept).toEqual(messages(1, 38))
    expect(told[0]).toBe('Lines for events 39 to 40 are missing.')
  })

  test('keeps what is in front of a damaged line or behind it, whichever is more', async () => {
    const front = await repair({ appends: [40], damage: wrong(30) })
    expect(front.kept).toEqual(messages(1, 29))
    expect(front.messages).toEqual([
      'Drop event 30: its line is damaged.',
      'Keep events 1 to 29, which is most of what counts, and drop events 30 to 40.',
      'Accept that the session ends with event 29, although event 40 had been recorded.',
    ])
    const back = await repair({ appends: [40], damage: wrong(10) })
    expect(back.kept).toEqual(messages(11, 40))
    expect(back.head).toMatchObject({ first: 11, last: 40, projection: null })
  })
})

describe('repair of a session of several appends', () => {
  test('keeps the whole lines of a damaged append if they are more than what came after it', async () => {
    const { messages: told, kept } = await repair({ appends: [40, 1], damage: wrong(40) })
    expect(kept).toEqual(messages(1, 39))
    expect(told).toEqual([
      'Drop event 40: its line is damaged.',
      'Keep events 1 to 39, which is most of what counts, and drop events 40 to 41.',
      'Accept that the session ends with event 39, although event 41 had been recorded.',
    ])
  })

  test('keeps what came after a damaged append if that is more', async () => {
    const { kept, head } = await repair({ appends: [3, 1, 5], damage: wrong(3) })
    expect(kept).toEqual(messages(4, 9))
    expect(head).toMatchObject({ first: 4, last: 9 })
  })

  test('keeps the last of two stretches that are equally long', async () => {
    const { messages: told, kept } = await repair({ appends: [5], damage: wrong(3) })
    expect(kept).toEqual(messages(4, 5))
    expect(told).toContain('Keep events 4 to 5, which is most of what counts, and drop events 1 to 3.')
  })

  test('does not count trimmed events, even if they are more', async () => {
    const { messages: told, kept } = await repair({
      appends: [6, 1, 1],
      options: { trimBefore: 7 },
      damage: wrong(6),
    })
    expect(kept).toEqual(messages(7, 8))
    expect(told).toContain('Keep events 7 to 8, which is most of what counts, and drop events 1 to 6.')
  })

  test('goes on where it was trimmed if the last append loses its end', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    await append(backend, [4, 3, 4], 0, { trimBefore: 3 })
    await appendMessages(backend, 'chat', 11, 3)
    await backend.close()
    fileSystem.replaceContent(FILE, wrong(14)(fileSystem.content(FILE)))
    await backend.maintenance?.repair({ apply: true })
    await backend.open()
    const head = await backend.head('chat')
    expect(head).toMatchObject({ first: 3, last: 13, projection: null })
    await backend.maintenance?.reclaim()
    await backend.close()
    // The file now begins with event 3, so that its bytes can be counted.
    await fileSystem.remove(SIDECAR)
    await backend.open()
    expect(await backend.head('chat')).toEqual(head)
    expect(await readAll(backend, 'chat')).toEqual(messages(3, 13))
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
    await backend.close()
  })
})

describe('repair of an append at the end that nothing proves to have been finished', () => {
  test('cuts it off as opening does, and says which events were read in it', async () => {
    const torn = { appends: [3], unknown: [20] }
    const { messages: told, kept, head } = await repair({ ...torn, damage: endingIn(9) })
    expect(kept).toEqual(messages(1, 3))
    expect(head).toMatchObject({ first: 1, last: 3, projection: { messages: 3 } })
    expect(told).toEqual([
      expect.stringMatching(/^Cut off \d+ bytes of an unfinished last line\.$/),
      'Cut off events 4 to 8, of an append that was never finished.',
    ])
  })

  test('cuts it off with the lines behind sectors that were never written, however many those are', async () => {
    const { messages: told, kept } = await repair({ appends: [3], unknown: [20], damage: unwritten(5) })
    expect(kept).toEqual(messages(1, 3))
    expect(told).toContain('Cut off events 4 to 23, of an append that was never finished.')
  })

  test.each([
    ['damaged', wrong(23), 'Drop event 23: its line is damaged.'],
    [
      'damaged before the end',
      (file: Buffer) => endingIn(23)(wrong(22)(file)),
      'Drop event 23: its line is not finished.',
    ],
  ])(
    'keeps what can be read in front of a line that is %s: a crash leaves nothing like that',
    async (_what, damage, told) => {
      const repaired = await repair({ appends: [3], unknown: [20], damage })
      expect(repaired.kept).toEqual(messages(1, told.includes('not finished') ? 21 : 22))
      expect(repaired.messages).toContain(told)
    },
  )

  test('keeps it if the sidecar knows of it', async () => {
    const { messages: told, kept } = await repair({ appends: [3, 20], damage: endingIn(9) })
    expect(kept).toEqual(messages(1, 8))
    expect(told).toEqual([
      'Drop event 9: its line is not finished.',
      'Lines for events 10 to 23 are missing.',
      'Accept that the session ends with event 8, although event 23 had been recorded.',
    ])
  })

  test('counts every line if opening refuses the end of the file', async () => {
    const { messages: told, kept } = await repair({
      appends: [3],
      unknown: [20, 2],
      damage: missing(23, 25),
    })
    expect(kept).toEqual(messages(1, 22))
    expect(told).toEqual([
      'Lines for event 23 are missing.',
      'Lines for event 25 are missing.',
      'Keep events 1 to 22, which is most of what counts, and drop events 23 to 24.',
    ])
  })

  test('keeps it if the file was rewritten for it, because the events that it trimmed are gone', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    await append(backend, [8, 1, 9], 0, { trimBefore: 9 })
    await backend.maintenance?.reclaim()
    await append(backend, [4], 18)
    await backend.close()
    await fileSystem.remove(SIDECAR)
    const good = fileSystem.content(FILE)
    for (const [damage, last] of [
      [endingIn(21), 18],
      [endingIn(14), 13],
    ] as const) {
      fileSystem.replaceContent(FILE, damage(good))
      await backend.maintenance?.repair({ apply: true })
      await backend.open()
      expect(await readAll(backend, 'chat')).toEqual(messages(9, last))
      await backend.close()
      await fileSystem.remove(SIDECAR)
    }
  })

  test('keeps lines of it if the append in front of it is damaged: opening refuses both', async () => {
    const { messages: told, kept } = await repair({
      appends: [3],
      unknown: [1, 20],
      damage: (file) => endingIn(9)(wrong(4)(file)),
    })
    expect(kept).toEqual(messages(5, 8))
    expect(told).toContain('Drop event 9: its line is not finished.')
  })

  test('begins where the file begins if the append for which it was rewritten is gone', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    await append(backend, [8, 3], 0, { trimBefore: 8 })
    await backend.maintenance?.reclaim()
    await backend.close()
    await fileSystem.remove(SIDECAR)
    const good = fileSystem.content(FILE)
    for (const [damage, told] of [
      [missing(2, 3, 4), []],
      [endingIn(9), ['Drop event 9: its line is not finished.']],
    ] as const) {
      fileSystem.replaceContent(FILE, damage(good))
      const report = await backend.maintenance?.repair({ apply: true })
      expect(report?.actions.map((action) => action.message)).toEqual([
        ...told,
        'Begin the session where the file begins: there are no lines for events 1 to 7.',
      ])
      await backend.open()
      expect(await readAll(backend, 'chat')).toEqual(messages(8, 8))
      expect(await backend.head('chat')).toMatchObject({ first: 8, last: 8, projection: null })
      await backend.close()
      await fileSystem.remove(SIDECAR)
    }
  })

  test('does not believe a sidecar that knows another life of the session', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    await append(backend, [9], 0)
    await backend.close()
    const known = fileSystem.content(SIDECAR)
    await backend.open()
    await backend.erase('chat', 9)
    await backend.append('chat', { last: 0, incarnation: 'another' }, messages(1, 2), null)
    await backend.append('chat', { last: 2, incarnation: 'another' }, messages(3, 6), null)
    await backend.close()
    fileSystem.replaceContent(SIDECAR, known)
    fileSystem.replaceContent(FILE, endingIn(6)(fileSystem.content(FILE)))
    await backend.maintenance?.repair({ apply: true })
    await backend.open()
    expect(await readAll(backend, 'chat')).toEqual(messages(1, 2))
    await backend.close()
  })

  test('leaves the head of a file that holds only the header, and names what it cuts off', async () => {
    const fileSystem = new SimulatedFileSystem()
    const backend = make(fileSystem)
    await backend.open()
    await append(backend, [3], 0, { trimBefore: 4 })
    await backend.maintenance?.reclaim()
    await backend.close()
    const known = fileSystem.content(SIDECAR)
    await backend.open()
    await append(backend, [4], 3)
    await backend.close()
    fileSystem.replaceContent(SIDECAR, known)
    fileSystem.replaceContent(FILE, endingIn(6)(fileSystem.content(FILE)))
    const report = await backend.maintenance?.repair({ apply: true })
    expect(report?.actions.map((action) => action.message)).toContain(
      'Cut off events 4 to 5, of an append that was never finished.',
    )
    await backend.open()
    expect(await backend.head('chat')).toMatchObject({ first: 4, last: 3, projection: { messages: 3 } })
    await backend.close()
  })
})
