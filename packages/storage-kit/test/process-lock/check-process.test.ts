import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

import { checkProcess, processIdentity } from '@turnlog/storage-kit'
import type { ProcessIdentity } from '@turnlog/storage-kit'
import { expect, onTestFinished, test } from 'vitest'

import { startTime } from '../../src/process-lock/start-time.ts'

const self = processIdentity()
const parent: ProcessIdentity = { ...self, pid: process.ppid, start: startTime(process.ppid) }
/** Where a system has no `/proc`. */
const BARE = { boot: '', pidNamespace: '', start: '', timeNamespace: '' }

const onLinux = test.runIf(process.platform === 'linux')

function pretend(platform: NodeJS.Platform): void {
  const real = process.platform
  Object.defineProperty(process, 'platform', { value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: real }))
}

onLinux('a process that runs lives, and one with its pid that started at another time is dead', () => {
  expect(checkProcess(self, self)).toBe('alive')
  expect(checkProcess(parent, self)).toBe('alive')
  expect(checkProcess({ ...parent, start: '1' }, self)).toBe('dead')
})

onLinux('start times that were read in different time namespaces are not compared', () => {
  for (const start of [parent.start, '1']) {
    expect(checkProcess({ ...parent, start, timeNamespace: 'time:[1]' }, self)).toBe('unknown')
    const { timeNamespace: _unsaid, ...old } = { ...parent, start }
    expect(checkProcess(old, self)).toBe('unknown')
  }
  expect(checkProcess({ ...parent, pid: 2 ** 30, timeNamespace: 'time:[1]' }, self)).toBe('dead')
})

onLinux('a process that was killed is dead, also while its parent has not asked about it', async () => {
  // The shell starts one process and becomes another one, which asks about no child.
  const parentOfIt = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parentOfIt.kill('SIGKILL'))
  const [said] = (await once(parentOfIt.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  const owner: ProcessIdentity = { ...self, pid, start: startTime(pid) }
  expect(checkProcess(owner, self)).toBe('alive')
  await expect.poll(() => readFileSync(`/proc/${parentOfIt.pid}/comm`, 'utf8')).toBe('sleep\n')
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
  expect(checkProcess(owner, self)).toBe('dead')
})

test('on Linux without /proc no pid says anything, because two containers may have one name', () => {
  pretend('linux')
  const bare = { ...self, ...BARE }
  for (const pid of [process.pid, process.ppid, 2 ** 30]) {
    expect(checkProcess({ ...bare, pid }, bare)).toBe('unknown')
  }
})

test('on other systems a pid that no process has is dead, and of any other nobody knows since when it is in use', () => {
  pretend('darwin')
  const bare = { ...self, ...BARE }
  expect(checkProcess({ ...bare, pid: 2 ** 30 }, bare)).toBe('dead')
  expect(checkProcess({ ...bare, pid: process.ppid }, bare)).toBe('unknown')
  expect(checkProcess(bare, bare)).toBe('alive') // another thread of this process
  expect(checkProcess({ ...bare, host: 'elsewhere' }, bare)).toBe('unknown')
})

test('within one start of a machine its name does not matter, and beyond it the same name means that it was started anew', () => {
  const here = { ...parent, boot: 'now', host: 'its name' }
  expect(checkProcess({ ...here, pid: 2 ** 30 }, { ...self, boot: 'now' })).toBe('dead')
  expect(checkProcess({ ...here, boot: 'before' }, here)).toBe('dead')
  expect(checkProcess({ ...here, boot: 'before', host: 'elsewhere' }, here)).toBe('unknown')
  expect(checkProcess({ ...here, pidNamespace: 'pid:[1]' }, here)).toBe('unknown')
})

test('a process that has /proc cannot judge one that had none, nor the other way round', () => {
  const bare = { ...self, ...BARE, pid: 2 ** 30 }
  expect(checkProcess(bare, { ...self, boot: 'now' })).toBe('unknown')
  expect(checkProcess({ ...self, boot: 'now', pid: 2 ** 30 }, { ...self, ...BARE })).toBe('unknown')
})
