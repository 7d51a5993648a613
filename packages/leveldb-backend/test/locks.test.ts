import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { expect, onTestFinished, test, vi } from 'vitest'

import { copyStore, fileContents, filesNamed, grow, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

/** A process that opens the store, appends once and then waits. */
async function owner(path: string, durability = 'sync'): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'owner-child.mjs'), path, durability], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

/** The same in a thread of this process. */
async function ownerThread(path: string): Promise<{ worker: Worker; said: string }> {
  const worker = new Worker(join(import.meta.dirname, 'owner-child.mjs'), {
    argv: [path, 'sync'],
    execArgv: [], // the package as it was built, not its sources
    stdin: true,
    stdout: true,
  })
  onTestFinished(async () => void (await worker.terminate()))
  const [said] = (await once(worker.stdout, 'data')) as [Buffer]
  return { worker, said: said.toString().trim() }
}

function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode // LevelDB may just have deleted it
  return mode === undefined ? undefined : mode & 0o777
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

test('an open store is LOCKED for another process, and the message says who has it and since when', async () => {
  const path = temporaryDirectory()
  const { child, said } = await owner(path)
  expect(said).toBe('open')
  await expect(leveldbBackend({ path }).open()).rejects.toMatchObject({
    code: 'LOCKED',
    message: expect.stringMatching(new RegExp(`process ${child.pid} on ${hostname()} since \\d{4}-`)) as string,
    file: join(path, 'turnlog.lock'),
  })
})

test('a process that the owner had started opens the store as soon as the owner has closed it', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  // LevelDB's descriptors, also that of its LOCK, are inherited by whatever is started now.
  const code = `process.stdin.once('data', () => import(${JSON.stringify(join(import.meta.dirname, 'owner-child.mjs'))}))`
  const child = spawn(process.execPath, ['-e', code, 'successor', path, 'sync'], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  await backend.close()
  child.stdin.write('go on')
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  expect(said.toString().trim()).toBe('open')
})

test('the lock of a killed process is taken over, and reported', async () => {
  const path = temporaryDirectory()
  const { child } = await owner(path)
  await killed(child)
  const backend = leveldbBackend({ path })
  onTestFinished(() => backend.close())
  expect((await backend.open()).findings).toMatchObject([{ kind: 'stale-lock' }])
  expect(await readAll(backend, 'a')).toHaveLength(1)
})

test('of many processes that find the lock of a dead owner exactly one takes it over', async () => {
  const path = temporaryDirectory()
  await killed((await owner(path)).child)
  const said = (await Promise.all(Array.from({ length: 6 }, () => owner(path)))).map((other) => other.said)
  expect(said.toSorted()).toEqual(['LOCKED', 'LOCKED', 'LOCKED', 'LOCKED', 'LOCKED', 'open'])
})

test('an owner on another machine cannot be judged and is LOCKED, with what to do', async () => {
  const path = temporaryDirectory()
  await killed((await owner(path)).child)
  const file = join(path, 'turnlog.lock')
  const record = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...record, host: 'elsewhere', boot: 'of its own' }))
  await expect(leveldbBackend({ path }).open()).rejects.toMatchObject({
    code: 'LOCKED',
    message: expect.stringContaining(`delete ${file}`) as string,
  })
  await expect(leveldbBackend({ path }).open({ readOnly: true })).rejects.toMatchObject({ code: 'LOCKED' })
})

test('a lock file that cannot be read does not stop the next owner', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await grow(backend, 'a', 1)
  await backend.close()
  writeFileSync(join(path, 'turnlog.lock'), 'nonsense')
  expect((await backend.open()).findings).toMatchObject([{ kind: 'stale-lock' }])
})

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['overwritten', (file: string) => writeFileSync(file, 'nonsense')],
])('a running owner whose lock file was %s is LOCKED, and nothing of it is touched', async (_, spoil) => {
  const path = temporaryDirectory()
  const { child } = await owner(path, 'os') // which leaves its log alone, unless somebody appends
  spoil(join(path, 'turnlog.lock'))
  // As if it was just writing: an open that thinks itself alone would cut this off.
  for (const log of filesNamed(path, /\.log$/)) appendFileSync(log, 'half a record')
  const before = fileContents(path)
  const backend = leveldbBackend({ path })
  await expect(backend.open()).rejects.toMatchObject({ code: 'LOCKED' })
  expect(fileContents(path)).toEqual(before)
  await expect(backend.maintenance?.repair?.({ apply: true })).rejects.toMatchObject({ code: 'LOCKED' })
  expect(fileContents(path)).toEqual(before)
  expect((await owner(path)).said).toBe('LOCKED')
  await killed(child)
  expect((await backend.open()).findings).toContainEqual(expect.objectContaining({ kind: 'torn-tail' }))
  await backend.close()
})

test('a thread cannot open what another one has open, not even without a lock file, and the owner stays protected', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  expect((await ownerThread(path)).said).toBe('LOCKED')
  rmSync(join(path, 'turnlog.lock'))
  expect((await ownerThread(path)).said).toBe('LOCKED')
  expect((await owner(path)).said).toBe('LOCKED')
  await grow(backend, 'a', 1)
})

test.runIf(process.platform === 'linux')(
  'the lock of a thread that has ended is taken over, and reported',
  async () => {
    const path = temporaryDirectory()
    const { worker, said } = await ownerThread(path)
    expect(said).toBe('open')
    const backend = leveldbBackend({ path })
    await expect(backend.open()).rejects.toMatchObject({ code: 'LOCKED' })
    await worker.terminate()
    expect((await backend.open()).findings).toMatchObject([{ kind: 'stale-lock' }])
    expect(await readAll(backend, 'a')).toHaveLength(1)
    await backend.close()
  },
)

test.runIf(process.platform === 'linux')('a copy of a store that is open belongs to nobody', async () => {
  const path = temporaryDirectory()
  const { child } = await owner(path)
  copyStore(path, `${path}-copy`)
  const copy = leveldbBackend({ path: `${path}-copy` })
  await copy.open({ readOnly: true })
  await copy.close()
  expect((await copy.open()).findings).toContainEqual(expect.objectContaining({ kind: 'stale-lock' }))
  expect(await readAll(copy, 'a')).toHaveLength(1)
  // Of a copy that is open itself, only the one who has it open may say so.
  expect((await owner(`${path}-copy`)).said).toBe('LOCKED')
  copyStore(`${path}-copy`, `${path}-second`)
  const second = leveldbBackend({ path: `${path}-second` })
  await second.open()
  await second.close()
  await copy.close()
  await expect(leveldbBackend({ path }).open()).rejects.toMatchObject({
    code: 'LOCKED',
    message: expect.stringContaining(`process ${child.pid} `) as string,
  })
})

test('closing leaves no lock, and a refused open leaves the one of the owner', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path)
  await expect(leveldbBackend({ path: `${path}/.` }).open()).rejects.toMatchObject({ code: 'LOCKED' })
  expect(filesNamed(path, /^turnlog\.lock(?!\.alive)/)).toEqual([join(path, 'turnlog.lock')])
  expect((await owner(path)).said).toBe('LOCKED')
  await backend.close()
  expect(filesNamed(path, /^turnlog\.lock/)).toEqual([])
})

test('a reader from whom a writer takes the files away is told so, and not of damage', async () => {
  const path = temporaryDirectory()
  // Many tables, of which a reader opens only those that it needs.
  const options = { writeBufferBytes: 64 * 1024, maxFileBytes: 1024 * 1024, compression: false }
  const writer = await openBackend(path, options)
  const pad = 'x'.repeat(200_000)
  for (let index = 0; index < 20; index++) await grow(writer, `s${index}`, 2, { extra: { pad } })
  await writer.maintenance?.reclaim?.()
  await writer.close()
  const reader = leveldbBackend({ path, ...options })
  onTestFinished(() => reader.close())
  await reader.open({ readOnly: true })
  expect(await readAll(reader, 's0')).toHaveLength(2)
  const tables = filesNamed(path, /\.ldb$/)
  for (const table of tables) renameSync(table, `${table}.away`)
  await expect(readAll(reader, 's9')).rejects.toMatchObject({ code: 'IO' })
  for (const table of tables) renameSync(`${table}.away`, table)
  await writer.open()
  await writer.erase('s9', 2)
  await expect(readAll(reader, 's9')).rejects.toMatchObject({
    code: 'LOCKED',
    message: expect.stringContaining('opened for writing meanwhile') as string,
  })
})

test('nobody else may read a directory that the backend made', async () => {
  const path = join(temporaryDirectory(), 'made', 'here')
  const backend = await openBackend(path)
  await grow(backend, 'a', 1)
  expect(modeOf(path)).toBe(0o700)
  for (const file of filesNamed(path, /^turnlog\./)) expect(modeOf(file)).toBe(0o600)
  await backend.close()
  for (const file of filesNamed(path, /./)) expect([file, modeOf(file)]).toEqual([file, 0o600])
})

test('nobody else may read a directory that was there before the store', async () => {
  const path = temporaryDirectory()
  chmodSync(path, 0o755)
  await openBackend(path)
  expect(modeOf(path)).toBe(0o700)
})

test('what LevelDB makes while the store is open is taken from others with one of the next write buffers', async () => {
  const path = temporaryDirectory()
  const backend = await openBackend(path, { durability: 'os', writeBufferBytes: 64 * 1024, compression: false })
  const extra = { text: 'x'.repeat(8 * 1024) }
  const before = filesNamed(path, /^\d/)
  await vi.waitFor(async () => {
    await grow(backend, 'a', 10, { extra })
    const made = filesNamed(path, /^\d/).filter((file) => !before.includes(file) && modeOf(file) === 0o600)
    expect(made.filter((file) => file.endsWith('.ldb'))).not.toEqual([])
    expect(made.filter((file) => file.endsWith('.log'))).not.toEqual([])
  }, 30_000)
})
