import { join } from 'node:path'

import { checkProcess, processIdentity } from '@turnlog/storage-kit'
import type { ProcessIdentity } from '@turnlog/storage-kit'
import { expect, onTestFinished, test } from 'vitest'

import { startTime } from '../../src/process-lock/start-time.ts'
import { formerJsonlVerdict, formerLevelDbVerdict } from './former-checks.ts'

const own = processIdentity()

const OWNERS: Readonly<Record<string, Pick<ProcessIdentity, 'pid' | 'start'>>> = {
  'this process': own,
  'a process that runs': { pid: process.ppid, start: startTime(process.ppid) },
  'a process whose pid another one has by now': { pid: process.ppid, start: '1' },
  'a process whose pid is free': { pid: 2 ** 30, start: '1' },
}

/**
 * What can be known of a process: 36 states of an owner, as many of the one that asks, so 1,296 pairs for each kind of
 * owner. `-` is what could not be read.
 */
const STATES = ['here', 'elsewhere'].flatMap((host) =>
  ['-', 'now', 'before'].flatMap((boot) =>
    ['-', 'ours', 'other'].flatMap((namespace) =>
      ['start', '-'].map((start) => ({
        name: [host, boot, namespace, start].join(' '),
        of: (process: Pick<ProcessIdentity, 'pid' | 'start'>): ProcessIdentity => ({
          host,
          boot: read(boot),
          pidNamespace: read(namespace),
          pid: process.pid,
          start: start === '-' ? '' : process.start,
          timeNamespace: own.timeNamespace,
        }),
      })),
    ),
  ),
)

function read(field: string): string {
  return field === '-' ? '' : field
}

const LETTER = { dead: 'd', unknown: 'u', alive: 'a' } as const

test.runIf(process.platform === 'linux').each(['linux', 'darwin'] as const)(
  'the verdict on every owner is that of the former versions, and the more cautious one where they differed (%s)',
  async (platform) => {
    pretendToBe(platform)
    const table: string[] = []
    const differences: string[] = []
    for (const [kind, process] of Object.entries(OWNERS)) {
      table.push('', `${kind}:`)
      for (const owner of STATES) {
        let row = ''
        for (const self of STATES) {
          const [theirs, ours] = [owner.of(process), self.of(own)]
          const verdict = checkProcess(theirs, ours)
          const leveldb = formerLevelDbVerdict(inLevelDbSpelling(theirs), inLevelDbSpelling(ours))
          const jsonl = formerJsonlVerdict(theirs, ours)
          row += LETTER[verdict]
          if (leveldb === jsonl) {
            expect(verdict, `${kind}: ${owner.name}; seen from ${self.name}`).toBe(leveldb)
            continue
          }
          differences.push(`${kind} | ${owner.name} | ${self.name} | ${leveldb} | ${jsonl} | ${verdict}`)
          // Both others refuse to take the lock over.
          expect(verdict).not.toBe('dead')
        }
        table.push(`${row}  ${owner.name}`)
      }
    }
    const head = [
      'Verdicts on an owner (a: alive, d: dead, u: unknown). A row for each of its states, a column for each state of the',
      'process that asks, in the same order. A state is host, boot id, pid namespace and start time; - is unread.',
    ]
    const tail = [
      '',
      `The former versions of the two backends differed in ${differences.length} pairs:`,
      'owner | state of the owner | state of the process that asks | LevelDB | JSONL | now',
    ]
    const text = [...head, ...table, ...tail, ...differences, ''].join('\n')
    await expect(text).toMatchFileSnapshot(join('fixtures', `owner-verdicts-${platform}.txt`))
  },
)

function inLevelDbSpelling({
  pidNamespace: namespace,
  start: started,
  ...rest
}: ProcessIdentity): Parameters<typeof formerLevelDbVerdict>[0] {
  return { ...rest, namespace, started }
}

function pretendToBe(platform: NodeJS.Platform): void {
  const real = process.platform
  Object.defineProperty(process, 'platform', { value: platform })
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: real }))
}
