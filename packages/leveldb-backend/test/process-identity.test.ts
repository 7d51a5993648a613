import { expect, test } from 'vitest'

import { judgeProcess, processIdentity } from '../src/lock/process-identity.ts'

const self = processIdentity()
/** As on a system without `/proc`. */
const bare = { ...self, boot: '', namespace: '', started: '' }

test('without /proc a pid that somebody has is no proof that the owner lives', () => {
  expect(judgeProcess({ ...bare, pid: process.ppid }, bare)).toBe('unknown')
  expect(judgeProcess(bare, bare)).toBe('alive')
})

test('who has /proc cannot judge one who had none', () => {
  expect(judgeProcess(bare, { ...self, boot: 'a start of the machine' })).toBe('unknown')
  expect(judgeProcess({ ...self, boot: 'a start of the machine' }, bare)).toBe('unknown')
})

test('within one start of a machine its name does not matter, and beyond it the same name means that it was started anew', () => {
  const here = { ...self, boot: 'now', namespace: 'this' }
  expect(judgeProcess({ ...here, host: 'its old name' }, here)).toBe('alive')
  expect(judgeProcess({ ...here, host: 'its old name', started: 'before' }, here)).toBe('dead')
  expect(judgeProcess({ ...here, boot: 'before' }, here)).toBe('dead')
  expect(judgeProcess({ ...here, boot: 'before', host: 'elsewhere' }, here)).toBe('unknown')
  expect(judgeProcess({ ...here, namespace: 'another' }, here)).toBe('unknown')
})

test.runIf(process.platform === 'linux')('start times of another time namespace are not compared', () => {
  const there = { ...self, pid: process.ppid, started: 'before' }
  expect(judgeProcess(there, self)).toBe('dead')
  expect(judgeProcess({ ...there, timeNamespace: 'time:[1]' }, self)).toBe('unknown')
  expect(judgeProcess({ ...there, timeNamespace: 'time:[1]', pid: 2 ** 30 }, self)).toBe('dead')
})
