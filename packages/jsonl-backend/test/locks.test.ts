import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import type { FileSystem, Host } from '@turnlog/jsonl-backend/testing'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { checkOwner, openLivenessSocket } from '@turnlog/storage-kit'
import { nodeFileSystem } from '../src/file-system/node-file-system.ts'
import { thisHost } from '../src/lock/host.ts'
import { appendMessages, readAll, scratchDirectory } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

function lockFiles(fileSystem: SimulatedFileSystem): string[] {
  return fileSystem.paths().filter((path) => path.includes('turnlog.lock'))
}

describe('the lock', () => {
  test('names who holds the directory, since when, and what to do', async () => {
    const directory = await scratchDirectory()
    const owner = jsonlBackend({ path: directory })
    await owner.open()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'open-in-child.mjs'), directory, 'report'])
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await once(child, 'close')
    expect(output).toMatch(
      new RegExp(`^LOCKED .*process ${process.pid} on host .* since \\d{4}-.*Close it there, or open it read-only`),
    )
    await appendMessages(owner, 'a', 0, 1)
    await owner.close()
  })

  test('of a thread that ended without closing says so, and what frees it', async () => {
    const directory = await scratchDirectory()
    const script = join(import.meta.dirname, 'open-in-child.mjs')
    // Without the conditions of the test runner, as in the other children.
    const thread = new Worker(script, { argv: [directory, 'hold'], stdout: true, execArgv: [] })
    await once(thread.stdout, 'data')
    await thread.terminate()
    const backend = jsonlBackend({ path: directory })
    const name = (await readdir(directory)).find((file) => file.startsWith('turnlog.lock')) ?? ''
    const refusal = backend.open()
    await expect(refusal).rejects.toMatchObject({ code: 'LOCKED' })
    await expect(refusal).rejects.toThrow(
      /another thread of this process .* since \d{4}-.* or ended without closing it/,
    )
    await expect(refusal).rejects.toThrow(`end this process, or remove ${join(directory, name)}`)
    await rm(join(directory, name))
    await backend.open()
    expect(await readAll(backend, 'from-child')).toHaveLength(1)
    await backend.close()
  })

  test('is refused in the same process through a symbolic link', async () => {
    const directory = await scratchDirectory()
    const link = join(await scratchDirectory(), 'link')
    await symlink(directory, link)
    const owner = jsonlBackend({ path: directory })
    const other = jsonlBackend({ path: link })
    await owner.open()
    await expect(other.open()).rejects.toMatchObject({ code: 'LOCKED' })
    await owner.close()
    await other.open()
    await other.close()
  })

  test('of a killed process is taken over and reported', async () => {
    const directory = await scratchDirectory()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'open-in-child.mjs'), directory, 'hold'])
    await once(child.stdout, 'data')
    const backend = jsonlBackend({ path: directory })
    await expect(backend.open()).rejects.toMatchObject({ code: 'LOCKED' })
    child.kill('SIGKILL')
    await once(child, 'close')
    const report = await backend.open()
    expect(report.findings).toMatchObject([{ kind: 'stale-lock' }])
    expect(await readAll(backend, 'from-child')).toHaveLength(1)
    await backend.close()
    expect((await readdir(directory)).filter((name) => name.startsWith('turnlog.lock'))).toHaveLength(1)
  })

  test('of a process with the same number that started at another time is taken over', async () => {
    const directory = await scratchDirectory()
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    await backend.close()
    const name = (await readdir(directory)).find((file) => file.startsWith('turnlog.lock')) ?? ''
    const content = JSON.parse(await readFile(join(directory, name), 'utf8')) as object
    await writeFile(join(directory, name), JSON.stringify({ ...content, start: '1', released: false }))
    const report = await backend.open()
    expect(report.findings).toMatchObject([{ kind: 'stale-lock' }])
    await backend.close()
  })

  test.each([
    ['another machine', { host: 'elsewhere', boot: 'another' }],
    ['another container', { pidNamespace: 'pid:[1]' }],
  ])('of an owner in %s is respected, with instructions', async (_where, change) => {
    const directory = await scratchDirectory()
    const backend = jsonlBackend({ path: directory })
    await backend.open()
    await backend.close()
    const name = (await readdir(directory)).find((file) => file.startsWith('turnlog.lock')) ?? ''
    const file = join(directory, name)
    const content = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(file, JSON.stringify({ ...content, ...change, released: false }))
    await expect(backend.open()).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`remove ${file}`),
    })
    await writeFile(file, 'garbage')
    await expect(backend.open()).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(`remove ${file}`),
    })
  })

  test('goes to exactly one of many that try at once, also when it is stale', async () => {
    for (let round = 0; round < 40; round++) {
      const fileSystem = new SimulatedFileSystem()
      if (round % 2 === 1) await make(fileSystem, simulatedHost(99)).open() // and dies
      // Each of them believes 99 to be dead and all the others to be alive.
      const hosts = Array.from({ length: 6 }, (_, index): Host => {
        const host = simulatedHost(index + 1)
        return { ...host, checkOwner: ({ pid }) => (pid === 99 ? 'dead' : 'alive') }
      })
      const outcomes = await Promise.allSettled(hosts.map((host) => make(fileSystem, host).open()))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'LOCKED' })
      }
      expect(lockFiles(fileSystem)).toHaveLength(1)
    }
  })

  test('of a directory that was moved while it was open is not released in the one that took its place', async () => {
    const directory = await scratchDirectory()
    const moved = `${directory}-moved`
    onTestFinished(() => rm(moved, { recursive: true, force: true }))
    const first = jsonlBackend({ path: directory })
    await first.open()
    await rename(directory, moved)
    await mkdir(directory)
    const child = spawn(process.execPath, [join(import.meta.dirname, 'open-in-child.mjs'), directory, 'hold'])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    await first.close()
    await expect(first.open()).rejects.toThrow(`process ${child.pid} on host`)
    const there = jsonlBackend({ path: moved })
    await there.open()
    await there.close()
  })

  test('is refused with a clear message where the file system has no hard links', async () => {
    const fileSystem = new SimulatedFileSystem()
    fileSystem.link = () => Promise.reject(Object.assign(new Error('no links'), { code: 'ENOTSUP' }))
    await expect(make(fileSystem, simulatedHost(1)).open()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(/no hard links.*local directory/),
    })
  })
})

describe.runIf(process.platform === 'linux')('the lock of an owner in a container', () => {
  test.each([
    ['the lock cannot be looked at after it was taken', 'list'],
    ['closing cannot say that it is released', 'rename'],
  ] as const)('goes to another container when %s, and nothing stays open', async (_when, broken) => {
    const directory = await scratchDirectory()
    const descriptors = await openHere(directory)
    let isBroken = false
    const fail = (): Promise<never> => Promise.reject(Object.assign(new Error('broken'), { code: 'EIO' }))
    const fileSystem: FileSystem = {
      ...nodeFileSystem,
      link: async (existing, path) => {
        await nodeFileSystem.link(existing, path)
        isBroken = true
      },
      [broken]: (...args: [string, string]) => (isBroken ? fail() : nodeFileSystem[broken](...args)),
    }
    const owner = jsonlBackendWith({ path: directory }, { fileSystem, host: container('one') })
    await expect(owner.open().then(() => owner.close())).rejects.toMatchObject({ code: 'IO' })
    expect(await openHere(directory)).toEqual(descriptors)
    const next = jsonlBackendWith({ path: directory }, { host: container('two') })
    expect((await next.open()).findings).toMatchObject([{ kind: 'stale-lock' }])
    await next.close()
    expect((await readdir(directory)).filter((name) => name.includes('alive'))).toEqual([])
  })

  test('is known in a directory that was moved while it was open', async () => {
    const directory = await scratchDirectory()
    const moved = `${directory}-moved`
    onTestFinished(() => rm(moved, { recursive: true, force: true }))
    const owner = jsonlBackendWith({ path: directory }, { host: container('one') })
    await owner.open()
    await rename(directory, moved)
    const next = jsonlBackendWith({ path: moved }, { host: container('two') })
    await expect(next.open()).rejects.toMatchObject({ code: 'LOCKED' })
    await owner.close()
    expect((await next.open()).findings).toMatchObject([{ kind: 'stale-lock' }])
    await next.close()
  })

  test('leaves the sockets of others alone that are about to ask for it, and removes those of dead owners', async () => {
    const directory = await scratchDirectory()
    const socket = (name: string): string => join(directory, `turnlog.lock.alive-${name}`)
    for (const name of ['aa', 'bb']) (await openLivenessSocket(socket(name)))?.close(true)
    await rename(socket('bb'), socket('bb.new')) // it is just being opened, and nobody listens yet
    const asking = await openLivenessSocket(socket('cc'))
    onTestFinished(() => asking?.close())
    const backend = jsonlBackendWith({ path: directory }, { host: container('one') })
    await backend.open()
    await backend.close()
    expect((await readdir(directory)).filter((name) => name.includes('alive')).toSorted()).toEqual([
      'turnlog.lock.alive-bb.new',
      'turnlog.lock.alive-cc',
    ])
  })
})

/** This process as one that others know by its liveness socket alone. */
function container(name: string): Host {
  const self = { ...thisHost().self, host: name, pidNamespace: `pid:[${name}]` }
  return {
    ...thisHost(),
    self,
    checkOwner: (owner, file) => checkOwner(owner, file, self),
    openSocket: openLivenessSocket,
    claimed: new Map(),
    abandoned: new Set(),
  }
}

/** Where the descriptors of this process lead that lead into a directory. */
async function openHere(directory: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(directory))
}

function make(fileSystem: SimulatedFileSystem, host: Host): Backend {
  return jsonlBackendWith({ path: '/store' }, { fileSystem, host })
}
