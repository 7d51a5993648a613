import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { readAll, scratchDirectory } from './sample.ts'

/** A container has process ids and a name of its own; this is how one is made. */
const CONTAINER = ['--pid', '--fork', '--kill-child', '--mount-proc', '--uts']
const canContain = spawnSync('unshare', [...CONTAINER, 'true']).status === 0

/** How a process is made that counts the time since the start of the machine from another moment. */
const SHIFTED = ['--time', '--boottime', '100000', '--fork']
const canShift = spawnSync('unshare', [...SHIFTED, 'true']).status === 0

interface Contained {
  readonly child: ChildProcess
  readonly said: string
}

/** A process in a container of its own that opens the directory, and holds it or says why it cannot. */
async function contained(
  directory: string,
  name: string,
  then: 'hold' | 'report' | 'hold in a thread',
  before = 'true',
): Promise<Contained> {
  const script = join(import.meta.dirname, 'open-in-child.mjs')
  const command = `hostname ${name} && ${before} && exec "${process.execPath}" "${script}" "${directory}" "${then}"`
  const child = spawn('unshare', [...CONTAINER, 'sh', '-c', command], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

async function killed({ child }: Contained): Promise<void> {
  const closed = once(child, 'close') // which comes when nobody in the container has its output open any more
  child.kill('SIGKILL')
  await closed
}

async function sockets(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith('turnlog.lock.alive-'))
}

test.runIf(canContain)(
  'the directory of a container that was killed opens in the one that is started in its place (needs rights)',
  async () => {
    const directory = await scratchDirectory()
    for (const name of ['first', 'first', 'second']) {
      const container = await contained(directory, name, 'hold')
      expect(container.said).toBe('open')
      await killed(container)
    }
    expect(await sockets(directory)).toHaveLength(1) // the others were removed by those who took over
    const backend = jsonlBackend({ path: directory })
    expect((await backend.open()).findings).toMatchObject([{ kind: 'stale-lock' }])
    expect(await readAll(backend, 'from-child')).toHaveLength(3)
    await backend.close()
    expect(await sockets(directory)).toEqual([])
  },
)

test.runIf(canContain)(
  'a container that runs keeps its directory from every other writer, and from its host, under any name (needs rights)',
  async () => {
    const directory = await scratchDirectory()
    await contained(directory, 'one', 'hold')
    for (const name of ['one', 'two']) {
      const { said } = await contained(directory, name, 'report')
      expect(said).toMatch(/^LOCKED .*process \d+ on host "one" has had it open since .*Close it there/)
    }
    await expect(jsonlBackend({ path: directory }).open()).rejects.toMatchObject({ code: 'LOCKED' })
    expect(await sockets(directory)).toHaveLength(1)
  },
)

test.runIf(canContain)(
  'a thread in a container opens no socket, because it would close before what the thread still writes (needs rights)',
  async () => {
    const directory = await scratchDirectory()
    expect((await contained(directory, 'one', 'hold in a thread')).said).toBe('open')
    expect(await sockets(directory)).toEqual([])
    await expect(jsonlBackend({ path: directory }).open()).rejects.toThrow(/cannot be seen whether that process still/)
  },
)

test.runIf(canContain)(
  'a container that has the directory in its own layer keeps it from who sees that layer from outside (needs rights)',
  async ({ skip }) => {
    const root = await scratchDirectory()
    const [lower, directory, work, seen] = ['lower', 'upper', 'work', 'seen'].map((name) => join(root, name))
    for (const path of [lower, directory, work, seen]) await mkdir(`${path}`)
    const mount = `mount -t overlay -o lowerdir=${lower},upperdir=${directory},workdir=${work} overlay ${seen}`
    skip(spawnSync('unshare', ['--mount', 'sh', '-c', mount]).status !== 0)
    const owner = await contained(`${seen}`, 'one', 'hold', mount)
    expect(owner.said).toBe('open')
    const backend = jsonlBackend({ path: `${directory}` })
    await expect(backend.open()).rejects.toThrow(/cannot be seen whether that process still runs/)
    await killed(owner)
    await expect(backend.open()).rejects.toMatchObject({ code: 'LOCKED' })
    const next = await contained(`${seen}`, 'two', 'hold', mount)
    expect(next.said).toBe('open')
    await killed(next)
  },
)

test.runIf(canShift)(
  'a process that counts time from another moment does not take an owner that runs for gone (needs rights)',
  async () => {
    const directory = await scratchDirectory()
    const owner = jsonlBackend({ path: directory })
    await owner.open()
    const script = join(import.meta.dirname, 'open-in-child.mjs')
    const { stdout } = spawnSync('unshare', [...SHIFTED, process.execPath, script, directory, 'report'])
    expect(stdout.toString()).toMatch(/^LOCKED .*cannot be seen whether that process still runs/)
    await owner.close()
  },
)
