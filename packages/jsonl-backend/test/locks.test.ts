import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import type { Host } from '@turnlog/jsonl-backend'
import { jsonlBackend } from '@turnlog/jsonl-backend'
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
        return { ...host, judge: ({ pid }) => (pid === 99 ? 'dead' : 'alive') }
      })
      const outcomes = await Promise.allSettled(hosts.map((host) => make(fileSystem, host).open()))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'LOCKED' })
      }
      expect(lockFiles(fileSystem)).toHaveLength(1)
    }
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

function make(fileSystem: SimulatedFileSystem, host: Host): Backend {
  return jsonlBackend({ path: '/store' }, { fileSystem, host })
}
