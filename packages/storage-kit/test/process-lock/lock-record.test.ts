import { formatOwner, checkProcess, parseLock, parseOwner, processIdentity } from '@turnlog/storage-kit'
import { expect, test } from 'vitest'

import { formerJsonlLock, formerJsonlVerdict, formerLevelDbLock, formerLevelDbVerdict } from './former-checks.ts'

const self = processIdentity()
const { pidNamespace, start, ...rest } = self
const SINCE = '2026-11-19T20:00:00.000Z'
const CLAIM = '0123456789abcdef'

/** As earlier versions of the two backends wrote the lock of this process. */
const FORMER = {
  leveldb: {
    ...rest,
    namespace: pidNamespace,
    started: start,
    since: SINCE,
    claim: CLAIM,
    device: '1',
    inode: '2',
    fileSystem: 3,
  },
  jsonl: { ...rest, pidNamespace, start, since: Date.parse(SINCE), token: CLAIM, signedIn: 3, released: false },
}

test.each(['leveldb', 'jsonl'] as const)('the lock that an earlier version of %s wrote is understood', (backend) => {
  const lock = parseLock(JSON.stringify(FORMER[backend]))
  expect(lock).toMatchObject({ ...self, since: SINCE, claim: CLAIM, fileSystem: 3 })
})

test('a lock is judged by earlier versions as by this one, if it also has the names for which they look', () => {
  for (const owner of [
    self,
    { ...self, start: '1' },
    { ...self, pid: 2 ** 30 },
    { ...self, pidNamespace: 'pid:[1]' },
  ]) {
    const record = { ...owner, since: SINCE, claim: CLAIM, fileSystem: 3, released: false }
    const verdict = checkProcess(owner, self)
    const leveldb = formerLevelDbLock(formatOwner(record, { namespace: owner.pidNamespace, started: owner.start }))
    const former = { ...rest, namespace: pidNamespace, started: start }
    expect(leveldb).toMatchObject({ claim: CLAIM, since: SINCE })
    expect(leveldb && formerLevelDbVerdict(leveldb, former)).toBe(verdict)
    const jsonl = formerJsonlLock(formatOwner(record, { token: CLAIM, signedIn: 3, since: Date.parse(SINCE) }))
    expect(jsonl).toMatchObject({ token: CLAIM, signedIn: 3, since: Date.parse(SINCE) })
    expect(jsonl && formerJsonlVerdict(jsonl, self)).toBe(verdict)
  }
})

test.each([
  ['no JSON', 'nonsense'],
  ['null', 'null'],
  ['a list', '[]'],
  ['no pid', JSON.stringify({ ...FORMER.leveldb, pid: undefined })],
  ['a claim that leads out of the directory', JSON.stringify({ ...FORMER.leveldb, claim: '../../etc' })],
  ['no start time', JSON.stringify({ ...FORMER.jsonl, start: 7 })],
  ['no time', JSON.stringify({ ...FORMER.jsonl, since: null })],
])('a lock with %s is not understood', (_what, text) => {
  expect(parseLock(text)).toBeUndefined()
})

test('a file that says no more than who owns it is understood in both spellings', () => {
  expect(parseOwner(formatOwner(self, {}))).toEqual(self)
  expect(parseOwner(JSON.stringify({ ...rest, namespace: pidNamespace, started: start }))).toMatchObject(self)
})
