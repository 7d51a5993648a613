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

import { openLivenessSocket, probeLiveness } from '@turnlog/storage-kit'
import { expect, onTestFinished, test as anywhere } from 'vitest'

import { fileSystemType } from '../../src/process-lock/file-system-type.ts'

/** Elsewhere no sockets are opened, and locks are judged without them. */
const test = anywhere.runIf(process.platform === 'linux')

function newSocketFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-socket-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'alive')
}

/** Probed where the socket was opened. */
function isAlive(file: string): Promise<boolean | undefined> {
  return probeLiveness(file, fileSystemType(join(file, '..')))
}

/** A process that opens a socket and then does as it is told. */
async function ownerOf(file: string, then: 'wait' | 'spin' | 'exit' | 'end' | 'return'): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'socket-child.mjs'), file, then], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  expect(said.toString()).toBe('open')
  return child
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

test('a socket is answered as long as its process lives, whatever ends that', async () => {
  const file = newSocketFile()
  const child = await ownerOf(file, 'wait')
  expect(await isAlive(file)).toBe(true)
  child.kill('SIGKILL')
  await gone(child)
  expect(await isAlive(file)).toBe(false)
})

test('a process that answers nobody, because it is busy or stopped, lives', async () => {
  const file = newSocketFile()
  const child = await ownerOf(file, 'spin')
  expect(await isAlive(file)).toBe(true)
  child.kill('SIGSTOP')
  expect(await isAlive(file)).toBe(true)
  // More than the kernel lets wait for an answer.
  const answers = await Promise.all(Array.from({ length: 600 }, () => isAlive(file)))
  expect(new Set(answers)).toEqual(new Set([true]))
})

test.each(['exit', 'return'] as const)(
  'a process that ends in good order (%s) and does not close its socket is dead',
  async (then) => {
    const file = newSocketFile()
    await gone(await ownerOf(file, then))
    expect(await isAlive(file)).toBe(false)
  },
)

test('a socket that was closed leaves no file and says nothing', async () => {
  const file = newSocketFile()
  await gone(await ownerOf(file, 'end'))
  expect(readdirSync(join(file, '..'))).toEqual([])
  expect(await isAlive(file)).toBeUndefined()
})

test('a socket does not keep its process alive, is nobody else’s to read, and is removed where its directory was moved to', async () => {
  const file = newSocketFile()
  const socket = await openLivenessSocket(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const moved = `${join(file, '..')}-moved`
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }))
  renameSync(join(file, '..'), moved)
  expect(await isAlive(join(moved, 'alive'))).toBe(true)
  socket?.close()
  expect(readdirSync(moved)).toEqual([])
})

test('the length of the path does not matter', async () => {
  const directory = join(newSocketFile(), '..', 'd'.repeat(120), 'e'.repeat(120))
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'alive')
  const socket = await openLivenessSocket(file)
  expect(await isAlive(file)).toBe(true)
  socket?.close()
})

test('what is no socket says nothing, and nothing is put in its place', async () => {
  const file = newSocketFile()
  expect(await isAlive(file)).toBeUndefined()
  writeFileSync(file, 'something else')
  expect(await isAlive(file)).toBeUndefined()
  const elsewhere = join(file, '..', 'nowhere', 'alive')
  expect(await openLivenessSocket(elsewhere)).toBeUndefined()
  expect(existsSync(elsewhere)).toBe(false)
})

test('a socket that nobody answers says nothing where it is seen in another kind of file system, or if that is not known', async () => {
  const file = newSocketFile()
  const socket = await openLivenessSocket(file)
  expect(socket?.fileSystem).toBe(fileSystemType(file))
  for (const fileSystem of [1, undefined]) expect(await probeLiveness(file, fileSystem)).toBe(true)
  socket?.close(true)
  for (const fileSystem of [1, undefined]) expect(await probeLiveness(file, fileSystem)).toBeUndefined()
  expect(await probeLiveness(file, socket?.fileSystem)).toBe(false)
})

test('a socket that is closed and keeps its file says that its owner is dead', async () => {
  const file = newSocketFile()
  const socket = await openLivenessSocket(file)
  socket?.close(true)
  expect(await isAlive(file)).toBe(false)
})

test('a socket that cannot be opened, or whose file cannot be removed, leaves nothing open', async () => {
  const file = newSocketFile()
  mkdirSync(`${file}.new`) // in which no socket can be made, and which is not removed as a file
  expect(await openLivenessSocket(file)).toBeUndefined()
  rmSync(`${file}.new`, { recursive: true })
  const socket = await openLivenessSocket(file)
  const moved = `${file}-moved`
  renameSync(file, moved)
  mkdirSync(file)
  socket?.close()
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
  const file = newSocketFile()
  const socket = await openLivenessSocket(file)
  onTestFinished(() => socket?.close())
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
