import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend, EventRecord, Json, RepairReport } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

/** With letters that are one bit away from a newline. */
const SESSION = 'J*'
const LIFE = { incarnation: `life of ${SESSION}` }
const FILE = '/store/+j%2A.jsonl'
const SIDECAR = '/store/turnlog.heads'

function make(fileSystem: SimulatedFileSystem): Backend {
  return jsonlBackendWith({ path: '/store', rewriteWhenTrimmed: 1 }, { fileSystem, host: simulatedHost(1) })
}

async function makeStore(fill: (backend: Backend) => Promise<void>): Promise<SimulatedFileSystem> {
  const fileSystem = new SimulatedFileSystem()
  const backend = make(fileSystem)
  await backend.open()
  await fill(backend)
  await backend.close()
  return fileSystem
}

/** Events 1, 2 and 3, and 4, of which one has bytes that are one bit away from a newline. */
async function plain(backend: Backend): Promise<void> {
  await appendMessages(backend, SESSION, 0, 1)
  await appendMessages(backend, SESSION, 1, 2)
  await backend.append(SESSION, { last: 3, ...LIFE }, [message(4, 'J*Ê"}}')], { messages: 4 })
}

/** Events 9, 10 and 11 in a file that had others before. */
async function compacted(backend: Backend): Promise<void> {
  await appendMessages(backend, SESSION, 0, 9)
  await appendMessages(backend, SESSION, 9, 1)
  await appendMessages(backend, SESSION, 10, 1, { trimBefore: 9 })
  await backend.maintenance?.reclaim()
}

/** A file of which only the header is left. */
async function emptied(backend: Backend): Promise<void> {
  await appendMessages(backend, SESSION, 0, 3, { trimBefore: 4 })
  await backend.maintenance?.reclaim()
}

/** Repairs a copy of a store whose file was replaced. */
async function repairCopy(
  store: SimulatedFileSystem,
  damaged: Buffer,
): Promise<{ readonly backend: Backend; readonly fileSystem: SimulatedFileSystem; readonly report: RepairReport }> {
  const fileSystem = SimulatedFileSystem.afterCrash(store.crashPoint('a copy'), () => true)
  fileSystem.replaceContent(FILE, damaged)
  const backend = make(fileSystem)
  const report = await backend.maintenance?.repair({ apply: true })
  return { backend, fileSystem, report: report ?? { applied: false, actions: [] } }
}

/** Every event that the actions say something about. */
function named({ actions }: RepairReport): Set<number> {
  const seqs = new Set<number>()
  for (const { message: text } of actions) {
    for (const [, from, to] of text.matchAll(/events? (\d+)(?: to (\d+))?/g)) {
      for (let seq = Number(from); seq <= Number(to ?? from); seq++) seqs.add(seq)
    }
  }
  return seqs
}

describe('repair', () => {
  const mark = '","~":{"more":0,"first":1,"length":9,"crc":"edited"}}'
  const hostile = fc.oneof(
    fc.constantFrom<Json>(
      { x: 1, '~': { more: 1 } },
      { x: 1, '~': { more: 0, first: 9, last: 9, lines: 1, live: 0, projection: null, length: 9, crc: '00000000' } },
      { '~': { length: 9, crc: 'edited' } },
      [{ a: { crc: 'edited' } }, { seq: 2 }],
      mark,
      `${mark}\n{"seq":2,"type":"x"}\r\n`,
      '\u0000\u2028\ud800',
      { turnlog: 'jsonl', incarnation: 'another', base: 7, projection: {} },
    ),
    fc.jsonValue().map((value) => value as Json),
  )
  const hostileEvent = fc.dictionary(fc.constantFrom('~', 'message', 'crc', 'incarnation', 'x'), hostile)

  test('leaves a healthy file alone, byte for byte, whatever is in its messages and metadata', async () => {
    const batches = fc.array(fc.tuple(fc.array(hostileEvent, { minLength: 1, maxLength: 3 }), hostile, fc.boolean()), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const store = await makeStore(async (backend) => {
          let last = 0
          for (const [fields, projection, isTrimming] of all) {
            const events = fields.map((own, index): EventRecord => Object.assign(message(last + index + 1), own))
            const options = isTrimming ? { trimBefore: last + 1 } : {}
            await backend.append(SESSION, { last, ...LIFE }, events, projection, options)
            last += events.length
            if (isTrimming) await backend.maintenance?.reclaim()
          }
          expect((await backend.maintenance?.verify())?.problems).toEqual([])
        })
        const before = store.paths().map((path) => [path, store.content(path)])
        const report = await make(store).maintenance?.repair()
        expect(report?.actions).toEqual([])
        expect(await make(store).maintenance?.repair({ apply: true })).toEqual({ applied: true, actions: [] })
        for (const [path, content] of before) {
          if (!String(path).includes('turnlog.lock')) expect(store.content(String(path))).toEqual(content)
        }
      }),
      { numRuns: 150 },
    )
  })

  test.each([
    ['of a session', plain],
    ['of a compacted session', compacted],
    ['that holds only the header', emptied],
  ])(
    'gives back every file %s in which one bit flipped and made no newline of a byte of an event',
    async (_what, fill) => {
      const store = await makeStore(fill)
      const good = store.content(FILE)
      const eventsStart = good.indexOf('\n')
      for (let bit = 0; bit < good.length * 8; bit++) {
        const damaged = Buffer.from(good)
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        // What is lost then, the next test shows.
        if (damaged[bit >> 3] === 0x0a && bit >> 3 > eventsStart) continue
        const { fileSystem, report } = await repairCopy(store, damaged)
        const where = `bit ${bit & 7} of byte ${bit >> 3}`
        expect(report.actions.length, where).toBeGreaterThan(0)
        expect(fileSystem.content(FILE).equals(good), where).toBe(true)
        expect(fileSystem.content(`${FILE}.damaged-1`).equals(damaged), where).toBe(true)
      }
    },
  )

  test.each([
    ['a session', plain, [1, 2, 3, 4]],
    ['a compacted session', compacted, [9, 10, 11]],
  ])(
    'keeps all that it can of %s in which a byte is another one, and names what it drops',
    async (_what, fill, seqs) => {
      const store = await makeStore(fill)
      const good = store.content(FILE)
      const whole = make(store)
      await whole.open()
      const events = await readAll(whole, SESSION)
      await whole.close()
      const lines = good.toString('latin1').split('\n')
      for (const byte of [0x0a, 0x7d]) {
        for (let at = 0; at < good.length; at++) {
          if (good[at] === byte) continue
          const damaged = Buffer.from(good)
          damaged[at] = byte
          const { backend, report } = await repairCopy(store, damaged)
          await backend.open()
          const kept = await readAll(backend, SESSION)
          const where = `byte ${at} as ${byte}: ${JSON.stringify(report.actions)}`
          expect((await backend.maintenance?.verify())?.problems, where).toEqual([])
          await backend.close()
          const first = (kept[0]?.seq ?? 0) - (seqs[0] ?? 0)
          expect(kept, where).toEqual(events.slice(first, first + kept.length))
          const names = named(report)
          for (const seq of seqs) expect(kept.some((event) => event.seq === seq) || names.has(seq), where).toBe(true)
          // One line is lost at most, and with it the shorter side.
          const hit = lines.findIndex((_, index) => lines.slice(0, index + 1).join('\n').length >= at)
          const least = hit === 0 ? seqs.length : Math.max(hit - 1, seqs.length - hit)
          expect(kept.length, where).toBeGreaterThanOrEqual(least)
        }
      }
    },
  )

  test('turns a bit back in a long line, and not in one so long that a bit may fit by chance', async () => {
    for (const [characters, isTurned] of [
      [30_000, true],
      [40_000, false],
    ] as const) {
      const store = await makeStore(async (backend) => {
        const events = [message(1), message(2, 'x'.repeat(characters)), message(3)]
        await backend.append(SESSION, { last: 0, ...LIFE }, events, null)
      })
      const good = store.content(FILE)
      const damaged = Buffer.from(good)
      damaged[good.indexOf('xxx') + 9000] = 0x79
      const { fileSystem, report } = await repairCopy(store, damaged)
      expect(fileSystem.content(FILE).equals(good)).toBe(isTurned)
      expect([...named(report)]).toEqual(isTurned ? [2] : [2, 3, 1])
    }
  })

  test('prefers events that count to trimmed ones that are more', async () => {
    const store = await makeStore(async (backend) => {
      for (let last = 0; last < 8;) last = await appendMessages(backend, SESSION, last, 1)
      await appendMessages(backend, SESSION, 8, 1, { trimBefore: 8 })
    })
    const lines = store.content(FILE).toString().split('\n')
    lines[6] = 'garbage'
    const { backend } = await repairCopy(store, Buffer.from(lines.join('\n')))
    await backend.open()
    expect(await readAll(backend, SESSION)).toEqual([message(8), message(9)])
    expect(await backend.head(SESSION)).toMatchObject({ first: 8, last: 9, projection: { messages: 9 } })
    await backend.close()
  })

  test.each([
    ['goes on in the same life if the sidecar remembers it', true, LIFE.incarnation],
    ['begins a new life if nobody remembers the old one', false, expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])('of a compacted session whose header is lost %s', async (_what, hasSidecar, incarnation) => {
    const store = await makeStore(compacted)
    if (!hasSidecar) await store.remove(SIDECAR)
    const good = store.content(FILE)
    const { backend, report } = await repairCopy(store, Buffer.concat([Buffer.alloc(70), good.subarray(70)]))
    expect(report.actions[0]?.message).toMatch(/^Write the header anew/)
    await backend.open()
    expect(await readAll(backend, SESSION)).toEqual([9, 10, 11].map((seq) => message(seq)))
    expect(await backend.head(SESSION)).toMatchObject({ first: 9, last: 11, incarnation, projection: { messages: 11 } })
    expect((await backend.maintenance?.verify())?.problems).toEqual([])
    await backend.close()
  })

  test('finds the life of a session in a header that is no JSON any more, and checks the lines against it', async () => {
    const store = await makeStore(plain)
    const damaged = Buffer.from(store.content(FILE))
    damaged[0] = 0x3c
    damaged[damaged.indexOf('"seq":1') + 6] = 0x33
    const { backend } = await repairCopy(store, damaged)
    await backend.open()
    expect(await readAll(backend, SESSION)).toHaveLength(4)
    expect(await backend.head(SESSION)).toMatchObject({ first: 1, last: 4, ...LIFE })
    await backend.close()
    await store.remove(SIDECAR)
    const other = await repairCopy(store, damaged)
    await other.backend.open()
    expect(await other.backend.head(SESSION)).toMatchObject({ first: 1, last: 4, ...LIFE })
    await other.backend.close()
  })

  test('names the events that were lost together with the header', async () => {
    const store = await makeStore(plain)
    const good = store.content(FILE)
    const from = good.indexOf('"message 2"')
    const { backend, report } = await repairCopy(store, Buffer.concat([Buffer.alloc(from), good.subarray(from)]))
    expect([...named(report)]).toEqual([1, 2])
    await backend.open()
    expect((await readAll(backend, SESSION)).map(({ seq }) => seq)).toEqual([3, 4])
    expect(await backend.head(SESSION)).toMatchObject({ first: 3, projection: null })
    await backend.close()
  })

  test('does not take a line with several flipped bits for one that a person added', async () => {
    const store = await makeStore(plain)
    const damaged = Buffer.from(store.content(FILE))
    const line = damaged.indexOf('message 2')
    damaged[line + 8] = 0x39 // another number in the text
    damaged[damaged.indexOf('"more"', line) + 2] = 0x7f
    damaged[damaged.indexOf('"crc"', line) + 3] = 0x6b
    const { backend, report } = await repairCopy(store, damaged)
    expect(named(report)).toContain(2)
    await backend.open()
    expect(JSON.stringify(await readAll(backend, SESSION))).not.toContain('message 9')
    await backend.close()
  })

  test('does not take a blank line for an event', async () => {
    const store = await makeStore(plain)
    const good = store.content(FILE)
    const at = good.indexOf('{"seq":2')
    const { fileSystem } = await repairCopy(
      store,
      Buffer.concat([good.subarray(0, at), Buffer.from('\n'), good.subarray(at)]),
    )
    expect(fileSystem.content(FILE)).toEqual(good)
  })
})
