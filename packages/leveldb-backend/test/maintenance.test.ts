import { readFileSync, writeFileSync } from 'node:fs'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, test } from 'vitest'

import { event, filesNamed, filesWith, grow, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

test.each([1, 2, 3, 4, 5, 6])('erase leaves no byte of a session in any file (seed %i)', async (seed) => {
  const path = temporaryDirectory()
  let state = seed
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const small = { compression: false, writeBufferBytes: 65_536, maxFileBytes: 1_048_576, durability: 'os' } as const
  const backend = await openBackend(path, small)
  const marker = `marker-${seed}-${random(1e9)}`
  const other = (): Promise<number> =>
    grow(backend, `other-${random(9)}`, 1 + random(30), { extra: { pad: 'x'.repeat(random(3000)) } })
  for (let round = random(40); round > 0; round -= 1) await other()
  for (let round = random(20); round >= 0; round -= 1) {
    await grow(backend, marker, 1 + random(40), { extra: { secret: marker } })
    if (random(2) === 0) await other()
  }
  for (let round = random(40); round > 0; round -= 1) await other()
  if (seed % 2 === 0) await grow(backend, marker, 40, { trimBefore: 30, extra: { secret: marker } })
  // LevelDB may just be moving a log into a table, and neither is found in that moment.
  await expect.poll(() => filesWith(path, marker)).not.toEqual([])
  const standing = backend.read(marker, [{ from: 1, to: 10_000 }])[Symbol.asyncIterator]()
  await standing.next()
  const last = (await backend.head(marker))?.last ?? 0
  await backend.erase(marker, last)
  expect(filesWith(path, marker)).toEqual([])
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
  await backend.close()
  await backend.open()
  expect(filesWith(path, marker)).toEqual([])
  expect(await backend.head(marker)).toBeUndefined()
})

test('sessions are erased side by side, while another one grows, is trimmed and is read', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path, { writeBufferBytes: 65_536, durability: 'os' })
  const extra = { pad: 'x'.repeat(500) }
  const doomed = Array.from({ length: 6 }, (_, index) => `doomed-${index}`)
  for (const session of doomed) await grow(backend, session, 100, { extra })
  const erased = new AbortController()
  const living = (async () => {
    while (!erased.signal.aborted) {
      const last = await grow(backend, 'living', 300, { extra })
      await grow(backend, 'living', 1, { trimBefore: last - 5 })
      expect(await readAll(backend, 'living')).toHaveLength(7)
    }
  })()
  await Promise.all(doomed.map((session) => backend.erase(session, 100)))
  erased.abort()
  await living
  expect(filesWith(path, 'doomed')).toEqual([])
  expect((await backend.maintenance?.verify())?.problems).toEqual([])
})

test('verify finds nothing wrong while sessions grow, are erased and are made anew', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  const extra = { pad: 'x'.repeat(300) }
  const sessions = Array.from({ length: 600 }, (_, index) => `s${String(index).padStart(3, '0')}`)
  await Promise.all(sessions.map((session) => grow(backend, session, 3, { extra })))
  const verified = new AbortController()
  const growing = (async () => {
    const all = sessions.slice(0, 500)
    while (!verified.signal.aborted) await Promise.all(all.map((session) => grow(backend, session, 1)))
  })()
  let erased = 0
  const erasing = (async () => {
    for (; !verified.signal.aborted; erased += 1) {
      const session = sessions[500 + (erased % 100)] ?? ''
      await backend.erase(session, (await backend.head(session))?.last ?? 0)
      await grow(backend, session, 2, { extra })
    }
  })()
  try {
    for (let rounds = 0; rounds < 3;) {
      const before = erased
      const report = await backend.maintenance?.verify()
      expect(report?.problems).toEqual([])
      expect(report?.sessions).toBeGreaterThanOrEqual(599)
      if (erased > before) rounds += 1
    }
  } finally {
    verified.abort()
    await Promise.all([growing, erasing])
  }
  expect(await backend.maintenance?.verify()).toMatchObject({ sessions: 600, problems: [] })
})

test('verify does not miss a session that is erased after its events were read and before its head was', async () => {
  const backend = await openBackend(temporaryDirectory(), { durability: 'os' })
  const name = (index: number): string => `s${String(index).padStart(4, '0')}`
  // Heads that are much larger than events: the two are not read at the same time.
  const projection = { large: 'x'.repeat(4000) }
  const expected = { last: 0, incarnation: 'life' }
  const all = Array.from({ length: 1500 }, (_, index) => name(index))
  await Promise.all(all.map((session) => backend.append(session, expected, [event(1)], projection)))
  for (let round = 0; round < 12; round += 1) {
    let erasing: Promise<void> | undefined
    const onProgress = (done: number): void => {
      if (done === 100) erasing ??= backend.erase(name(300 + 47 * round), 1)
    }
    const report = await backend.maintenance?.verify({ onProgress })
    await erasing
    expect(report?.problems).toEqual([])
  }
})

test('verify finds damage in a row, and repair keeps what comes before it and the damaged original', async () => {
  const path = temporaryDirectory()
  const options = { compression: false, blockBytes: 1024 } as const
  const backend = await openBackend(path, options)
  await grow(backend, 'good', 10)
  for (let round = 0; round < 5; round += 1) await grow(backend, 'hurt', 64, { extra: { pad: `part ${round}` } })
  await backend.close()
  await backend.open()
  await backend.close()
  const [table = ''] = filesNamed(path, /\.ldb$/)
  const bytes = readFileSync(table)
  const at = bytes.indexOf('part 3')
  bytes[at] = 0
  writeFileSync(table, bytes)
  await expect(backend.open()).rejects.toMatchObject({ code: 'CORRUPT', file: table })
  const dry = await backend.maintenance?.repair()
  expect(dry).toMatchObject({ applied: false })
  expect(readFileSync(table).equals(bytes)).toBe(true)
  const report = await backend.maintenance?.repair({ apply: true })
  expect(report?.actions).toMatchObject([{ file: table }, { session: 'hurt', seq: 193 }])
  expect(filesNamed(report?.backup ?? '', /\.ldb$/).some((file) => readFileSync(file).equals(bytes))).toBe(true)
  await backend.open()
  expect(await readAll(backend, 'good')).toEqual(Array.from({ length: 10 }, (_, index) => event(index + 1)))
  expect((await readAll(backend, 'hurt')).at(-1)?.seq).toBe(192)
  expect(await backend.maintenance?.verify()).toMatchObject({ sessions: 2, events: 202, problems: [] })
  await grow(backend, 'good', 100)
  await backend.close()
})

test('repair wants a closed backend', async () => {
  const backend = await openBackend(temporaryDirectory())
  await expect(backend.maintenance?.repair()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('options that make no sense are INVALID_CONFIG and say which', () => {
  const path = temporaryDirectory()
  for (const bad of [
    { path: '' },
    { path, durability: 'none' },
    { path, cacheBytes: -1 },
    { path, blockBytes: 1.5 },
    { path, compress: true },
  ]) {
    expect(() => leveldbBackend(bad as never)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }) as Error)
  }
})
