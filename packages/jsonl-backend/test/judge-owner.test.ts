import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { thisHost } from '../src/lock/host.ts'
import type { Owner } from '../src/lock/host.ts'
import { judgeOwner } from '../src/lock/judge-owner.ts'
import { startTime } from '../src/lock/start-time.ts'

const { self } = thisHost()
const parent: Owner = { ...self, pid: process.ppid, start: startTime(process.ppid) }
/** Where a system has no `/proc`. */
const BARE = { boot: '', pidNamespace: '', start: '', timeNamespace: '' }
const NOWHERE = '/nowhere/alive'

const onLinux = test.runIf(process.platform === 'linux')

function pretend(platform: NodeJS.Platform): void {
  const real = process.platform
  Object.defineProperty(process, 'platform', { value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: real }))
}

onLinux('a process that runs lives, and one with its number that started at another time is gone', async () => {
  expect(await judgeOwner(self, self, NOWHERE)).toBe('alive')
  expect(await judgeOwner(self, parent, NOWHERE)).toBe('alive')
  expect(await judgeOwner(self, { ...parent, start: '1' }, NOWHERE)).toBe('dead')
})

onLinux('start times that were read in different time namespaces are not compared', async () => {
  for (const start of [parent.start, '1']) {
    expect(await judgeOwner(self, { ...parent, start, timeNamespace: 'time:[1]' }, NOWHERE)).toBe('unknown')
    const { timeNamespace: _unsaid, ...old } = { ...parent, start }
    expect(await judgeOwner(self, old, NOWHERE)).toBe('unknown')
  }
  expect(await judgeOwner(self, { ...parent, pid: 2 ** 30, timeNamespace: 'time:[1]' }, NOWHERE)).toBe('dead')
})

onLinux('a process that was killed is gone, also while its parent has not asked about it', async () => {
  // The shell starts one process and becomes another one, which asks about no child.
  const parentOfIt = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parentOfIt.kill('SIGKILL'))
  const [said] = (await once(parentOfIt.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  const owner: Owner = { ...self, pid, start: startTime(pid) }
  expect(await judgeOwner(self, owner, NOWHERE)).toBe('alive')
  await vi.waitFor(() => expect(readFileSync(`/proc/${parentOfIt.pid}/comm`, 'utf8')).toBe('sleep\n'))
  process.kill(pid, 'SIGKILL')
  await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '))
  expect(await judgeOwner(self, owner, NOWHERE)).toBe('dead')
})

test('on Linux without /proc no number says anything, because two containers may have one name', async () => {
  pretend('linux')
  const bare = { ...self, ...BARE }
  for (const pid of [process.pid, process.ppid, 2 ** 30]) {
    expect(await judgeOwner(bare, { ...bare, pid }, NOWHERE)).toBe('unknown')
  }
})

test('on other systems a number that nobody has is gone, and of one that somebody has nobody knows since when', async () => {
  pretend('darwin')
  const bare = { ...self, ...BARE }
  expect(await judgeOwner(bare, { ...bare, pid: 2 ** 30 }, NOWHERE)).toBe('dead')
  expect(await judgeOwner(bare, { ...bare, pid: process.ppid }, NOWHERE)).toBe('unknown')
  expect(await judgeOwner(bare, bare, NOWHERE)).toBe('alive') // another thread of this process
  expect(await judgeOwner(bare, { ...bare, host: 'elsewhere' }, NOWHERE)).toBe('unknown')
})

test('within one start of a machine its name does not matter, and beyond it the same name means that it was started anew', async () => {
  const here = { ...parent, boot: 'now', host: 'its name' }
  expect(await judgeOwner({ ...self, boot: 'now' }, { ...here, pid: 2 ** 30 }, NOWHERE)).toBe('dead')
  expect(await judgeOwner(here, { ...here, boot: 'before' }, NOWHERE)).toBe('dead')
  expect(await judgeOwner(here, { ...here, boot: 'before', host: 'elsewhere' }, NOWHERE)).toBe('unknown')
  expect(await judgeOwner(here, { ...here, pidNamespace: 'pid:[1]' }, NOWHERE)).toBe('unknown')
})
