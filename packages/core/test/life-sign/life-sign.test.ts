import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { fileSystemType, giveLifeSign, isAlive as isAliveIn } from '@turnlog/core/life-sign'
import { expect, onTestFinished, test as anywhere } from 'vitest'

/** Elsewhere no signs are given, and locks are judged without them. */
const test = anywhere.runIf(process.platform === 'linux')

function signFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-sign-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'alive')
}

/** Asked where the sign was given. */
function isAlive(file: string): Promise<boolean | undefined> {
  return isAliveIn(file, fileSystemType(join(file, '..')))
}

/** A process that gives a sign and then does as it is told. */
async function giver(file: string, then: 'wait' | 'spin' | 'exit' | 'end' | 'return'): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sign-child.mjs'), file, then], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  expect(said.toString()).toBe('given')
  return child
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

test('a sign lives as long as its process, whatever ends that', async () => {
  const file = signFile()
  const child = await giver(file, 'wait')
  expect(await isAlive(file)).toBe(true)
  child.kill('SIGKILL')
  await gone(child)
  expect(await isAlive(file)).toBe(false)
})

test('a process that answers nobody, because it is busy or stopped, lives', async () => {
  const file = signFile()
  const child = await giver(file, 'spin')
  expect(await isAlive(file)).toBe(true)
  child.kill('SIGSTOP')
  expect(await isAlive(file)).toBe(true)
  // More than the kernel lets wait for an answer.
  const answers = await Promise.all(Array.from({ length: 600 }, () => isAlive(file)))
  expect(new Set(answers)).toEqual(new Set([true]))
})

test.each(['exit', 'return'] as const)(
  'a process that ends in good order (%s) and does not end its sign is gone',
  async (then) => {
    const file = signFile()
    await gone(await giver(file, then))
    expect(await isAlive(file)).toBe(false)
  },
)

test('a sign that was ended leaves no file and says nothing', async () => {
  const file = signFile()
  await gone(await giver(file, 'end'))
  expect(readdirSync(join(file, '..'))).toEqual([])
  expect(await isAlive(file)).toBeUndefined()
})

test('a sign does not keep its process alive, is nobody else’s to read, and ends where its directory was moved to', async () => {
  const file = signFile()
  const sign = await giveLifeSign(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const moved = `${join(file, '..')}-moved`
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }))
  renameSync(join(file, '..'), moved)
  expect(await isAlive(join(moved, 'alive'))).toBe(true)
  sign?.end()
  expect(readdirSync(moved)).toEqual([])
})

test('the length of the path does not matter', async () => {
  const directory = join(signFile(), '..', 'd'.repeat(120), 'e'.repeat(120))
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'alive')
  const sign = await giveLifeSign(file)
  expect(await isAlive(file)).toBe(true)
  sign?.end()
})

test('what is no sign says nothing, and nothing is put in its place', async () => {
  const file = signFile()
  expect(await isAlive(file)).toBeUndefined()
  writeFileSync(file, 'something else')
  expect(await isAlive(file)).toBeUndefined()
  const elsewhere = join(file, '..', 'nowhere', 'alive')
  expect(await giveLifeSign(elsewhere)).toBeUndefined()
  expect(existsSync(elsewhere)).toBe(false)
})

test('a sign that nobody answers says nothing where it is seen in another kind of file system, or if that is not known', async () => {
  const file = signFile()
  const sign = await giveLifeSign(file)
  expect(sign?.fileSystem).toBe(fileSystemType(file))
  for (const fileSystem of [1, undefined]) expect(await isAliveIn(file, fileSystem)).toBe(true)
  sign?.end(true)
  for (const fileSystem of [1, undefined]) expect(await isAliveIn(file, fileSystem)).toBeUndefined()
  expect(await isAliveIn(file, sign?.fileSystem)).toBe(false)
})

test('a sign that ends and keeps its file says that its owner is gone', async () => {
  const file = signFile()
  const sign = await giveLifeSign(file)
  sign?.end(true)
  expect(await isAlive(file)).toBe(false)
})

test('a sign that cannot be given, or whose file cannot be removed, leaves nothing open', async () => {
  const file = signFile()
  mkdirSync(`${file}.new`) // in which no socket can be made, and which is not removed as a file
  expect(await giveLifeSign(file)).toBeUndefined()
  rmSync(`${file}.new`, { recursive: true })
  const sign = await giveLifeSign(file)
  const moved = `${file}-moved`
  renameSync(file, moved)
  mkdirSync(file)
  sign?.end()
  expect(await isAlive(moved)).toBe(false)
  expect(openHere(join(file, '..'))).toEqual([])
})

/** The descriptors of this process that lead to a path. */
function openHere(path: string): string[] {
  return readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path
    } catch {
      return false // the listing itself was one of them
    }
  })
}

test('a directory that is copied while its owner lives has no living owner', async () => {
  const file = signFile()
  const sign = await giveLifeSign(file)
  onTestFinished(() => sign?.end())
  const copy = `${join(file, '..')}-copy`
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const { status } = await copyAll(join(file, '..'), copy)
  expect(status).toBe(0)
  expect(await isAlive(join(copy, 'alive'))).toBe(false)
  expect(await isAlive(file)).toBe(true)
})

async function copyAll(from: string, to: string): Promise<{ status: number | null }> {
  const child = spawn('cp', ['-a', from, to])
  const [status] = (await once(child, 'exit')) as [number | null]
  return { status }
}
