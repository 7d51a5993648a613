import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { leveldbBackend } from '@turnlog/leveldb-backend'
import { openLivenessSocket } from '@turnlog/storage-kit'
import { expect, onTestFinished, test } from 'vitest'

import { filesNamed, openBackend, readAll, temporaryDirectory } from './sample-store.ts'

/** A container has process ids and a name of its own; this is how one is made. */
const CONTAINER = ['--pid', '--fork', '--kill-child', '--mount-proc', '--uts']
const canContain = spawnSync('unshare', [...CONTAINER, 'true']).status === 0
const SOCKET = /^turnlog\.lock\.alive-/

interface Contained {
  readonly child: ChildProcess
  readonly said: string
}

/** A process in a container of its own that opens the store, appends once and then waits. */
function contained(path: string, name: string, before?: string): Promise<Contained> {
  return runContained(name, 'owner-child.mjs', [path, 'sync'], before)
}

async function runContained(name: string, child: string, args: string[], before = 'true'): Promise<Contained> {
  const script = join(import.meta.dirname, child)
  const quoted = [process.execPath, script, ...args].map((part) => `"${part}"`).join(' ')
  const command = `hostname ${name} && ${before} && exec ${quoted}`
  const unshare = spawn('unshare', [...CONTAINER, 'sh', '-c', command], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void unshare.kill('SIGKILL'))
  const [said] = (await once(unshare.stdout, 'data')) as [Buffer]
  return { child: unshare, said: said.toString().trim() }
}

async function killed({ child }: Contained): Promise<void> {
  const closed = once(child, 'close') // which comes when nobody in the container has its output open any more
  child.kill('SIGKILL')
  await closed
}

test.runIf(canContain)(
  'the store of a container that was killed opens in the one that is started in its place (needs rights)',
  async () => {
    const path = temporaryDirectory()
    for (const name of ['first', 'first', 'second']) {
      const container = await contained(path, name)
      expect(container.said).toBe('open')
      await killed(container)
    }
    expect(filesNamed(path, SOCKET)).toHaveLength(1) // the others were removed by those who took over
    const backend = leveldbBackend({ path })
    expect((await backend.open()).findings).toMatchObject([{ kind: 'stale-lock' }])
    expect(await readAll(backend, 'a')).toHaveLength(3)
    await backend.close()
    expect(filesNamed(path, SOCKET)).toEqual([])
  },
)

test.runIf(canContain)(
  'a container that runs keeps its store from every other, and from its host, under any name (needs rights)',
  async () => {
    const path = temporaryDirectory()
    const owner = await contained(path, 'one')
    expect(owner.said).toBe('open')
    for (const name of ['one', 'two']) expect((await contained(path, name)).said).toBe('LOCKED')
    const backend = leveldbBackend({ path })
    for (const readOnly of [false, true]) {
      await expect(backend.open({ readOnly })).rejects.toMatchObject({
        code: 'LOCKED',
        message: expect.stringMatching(/is in use by process \d+ on one since/) as string,
      })
    }
    expect(filesNamed(path, SOCKET)).toHaveLength(1)
  },
)

test.runIf(canContain)('a container whose process was stopped, but lives, keeps its store (needs rights)', async () => {
  const path = temporaryDirectory()
  const { child } = await contained(path, 'one')
  const inside = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  process.kill(Number(inside), 'SIGSTOP')
  expect((await contained(path, 'one')).said).toBe('LOCKED')
  child.kill('SIGKILL')
})

test.runIf(canContain)('a reader sees the store of a container that was killed (needs rights)', async () => {
  const path = temporaryDirectory()
  await killed(await contained(path, 'one'))
  const reader = leveldbBackend({ path })
  await reader.open({ readOnly: true })
  expect(await readAll(reader, 'a')).toHaveLength(1)
  expect(filesNamed(path, SOCKET)).toHaveLength(1) // it leaves no trace
  await reader.close()
})

test.runIf(canContain).each([
  ['whose directory was moved', 'moved', '-moved'],
  ['whose lock cannot be removed', 'not removed', ''],
])(
  'a container that closes a store %s and lives on has nothing open there, and the next one opens it (needs rights)',
  async (_which, mishap, where) => {
    const path = temporaryDirectory()
    const { said } = await runContained('one', 'mishap-child.mjs', [path, mishap])
    expect(said).toBe('IO, open since: 0')
    const next = await contained(`${path}${where}`, 'two')
    expect(next.said).toBe('open')
    await killed(next)
  },
)

test.runIf(process.platform === 'linux')(
  'an owner removes the liveness sockets of dead owners, not those of others that are about to ask for the lock',
  async () => {
    const path = temporaryDirectory()
    const socket = (name: string): string => join(path, `turnlog.lock.alive-${name}`)
    for (const name of ['aa', 'bb']) (await openLivenessSocket(socket(name)))?.close(true)
    renameSync(socket('bb'), socket('bb.new')) // it is just being opened, and nobody listens yet
    const asking = await openLivenessSocket(socket('cc'))
    onTestFinished(() => asking?.close())
    const backend = await openBackend(path)
    await backend.close()
    expect(filesNamed(path, SOCKET)).toEqual([socket('bb.new'), socket('cc')])
  },
)

test.runIf(canContain)(
  'a container that has its store in its own layer keeps it from who sees that layer from outside (needs rights)',
  async ({ skip }) => {
    const root = temporaryDirectory()
    const [lower, upper, work, seen] = ['lower', 'upper', 'work', 'seen'].map((name) => join(root, name))
    for (const path of [lower, upper, work, seen]) mkdirSync(`${path}`)
    const mount = `mount -t overlay -o lowerdir=${lower},upperdir=${upper},workdir=${work} overlay ${seen}`
    skip(spawnSync('unshare', ['--mount', 'sh', '-c', mount]).status !== 0)
    const owner = await contained(`${seen}`, 'one', mount)
    expect(owner.said).toBe('open')
    const backend = leveldbBackend({ path: `${upper}` })
    await expect(backend.open()).rejects.toThrow(/cannot be seen whether that process still runs/)
    await killed(owner)
    await expect(backend.open()).rejects.toMatchObject({ code: 'LOCKED' })
    const next = await contained(`${seen}`, 'two', mount)
    expect(next.said).toBe('open')
    await killed(next)
  },
)
