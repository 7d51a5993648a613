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
