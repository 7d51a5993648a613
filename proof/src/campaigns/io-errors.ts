import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import type { BackendName } from '../child/make-backend.ts'
import type { WriterTask } from '../child/writer-task.ts'
import { parallel } from '../machine/parallel.ts'
import type { Child } from '../machine/start-child.ts'
import { startChild } from '../machine/start-child.ts'
import type { CallPoint, SystemCall } from '../machine/strace.ts'
import { listCalls, runInjected } from '../machine/strace.ts'
import { hasTool, isRoot, runTool } from '../machine/tools.ts'
import type { Episode } from '../model/oracle.ts'
import { Oracle } from '../model/oracle.ts'

const WIDTH = 3
/** How many calls in a row fail when an error stays for a while. Then the disk is well again. */
const STRETCH = 12

const ERRORS: Readonly<Record<SystemCall, readonly string[]>> = {
  write: ['EIO', 'ENOSPC', 'EFBIG'],
  pwrite64: ['EIO', 'ENOSPC', 'EFBIG'],
  fdatasync: ['EIO', 'ENOSPC'],
  fsync: ['EIO', 'ENOSPC'],
  rename: ['EIO', 'ENOSPC'],
  link: ['EIO', 'ENOSPC'],
  unlink: ['EIO'],
  ftruncate: ['EIO'],
  openat: ['EMFILE', 'ENOSPC'],
}

/** The n-th operation on the disk fails, for every n; then the disk is well again and the store must be too. */
export const ioErrors: Campaign = {
  name: 'io-errors',
  title: 'Disk errors injected at every system call, and disks that are full',
  async run(context) {
    const outcomes: Outcome[] = []
    for (const backend of context.backends) {
      outcomes.push(await injectErrors(context, backend), await fillDisk(context, backend))
    }
    return outcomes
  },
}

interface Case {
  readonly point: CallPoint
  readonly error: string
  readonly lasts: boolean
}

async function injectErrors(context: CampaignContext, backend: BackendName): Promise<Outcome> {
  const row = {
    campaign: 'io-errors',
    backend,
    promise: 'After any disk error reads go on, refusals are typed, and nothing acknowledged is lost',
    unit: 'injected errors',
  }
  if (!hasTool('strace', '-V')) return { ...row, attempts: 0, violations: [], skipped: 'strace is not installed' }
  const directory = context.directory({ inMemory: true })
  const seed = context.random.seed()
  const script = (path: string): WriterTask => ({
    backend,
    path,
    journal: `${path}.journal`,
    seed,
    tag: 's',
    lanes: 2,
    operations: context.long ? 50 : 20,
    thenAppend: context.long ? 250 : 30,
    verify: false,
  })
  const placeOf = (slot: string): string => join(directory, `${backend}-${slot}`)
  const points = await listCalls({ ...script(placeOf('count')), thenAppend: 0 }, placeOf('trace'))
  const cases: Case[] = points
    .filter(({ isRandomName }) => !isRandomName)
    .flatMap((point) => ERRORS[point.call].flatMap((error) => [false, true].map((lasts) => ({ point, error, lasts }))))
  const share = context.attempts(40, 1_500) / cases.length
  const chosen = cases.filter(() => share >= 1 || context.random.chance(share))
  const violations: string[] = []
  let failures = 0
  let refusing = 0
  let done = 0
  await parallel({ count: chosen.length, width: WIDTH, hasTime: context.budget() }, async (index) => {
    const { point, error, lasts } = chosen[index] as Case
    const { call, file, n } = point
    const path = placeOf(String(index))
    const task = script(path)
    const oracle = new Oracle()
    const { code, errorText } = await runInjected(task, {
      call,
      files: lasts ? storeFiles(backend, path, file) : [`${path}${file}`],
      fault: `error=${error}`,
      when: lasts ? `${n}..${n + STRETCH}` : String(n),
    })
    const say = (text: string): void => {
      const what = `${error} at ${call} ${n} of ${file || 'the directory'}${lasts ? ` and ${STRETCH} more` : ''}`
      violations.push(`${backend}, seed ${seed}, ${what}: ${text}`)
    }
    const first = oracle.judge(task.journal)
    failures += first.failures
    judgeEpisode(first, say)
    if (code !== 0) say(`the writer ended with ${code}: ${errorText}`)
    // An error that lasted may leave a session refusing writes until it is opened again; a single one must not.
    if (first.endsInFailure && lasts) refusing += 1
    else if (first.endsInFailure) say('still refuses writes after a single error')
    await reopen(oracle, task, say)
    for (const leftover of [path, task.journal]) rmSync(leftover, { recursive: true, force: true })
    done += 1
    if (done % 100 === 0)
      context.progress(`${backend}: ${done} of ${chosen.length} errors, ${violations.length} violations`)
  })
  if (done > 20 && failures === 0) {
    violations.push(`${backend}: no call ever failed: the harness does not do its work`)
  }
  return {
    ...row,
    attempts: done,
    violations,
    note: `of ${cases.length} possible; ${failures} calls were refused; ${refusing} runs ended refusing writes until reopened`,
  }
}

/** An error that stays hits the file that follows as well, such as the next log. */
function storeFiles(backend: BackendName, path: string, file: string): readonly string[] {
  if (backend === 'jsonl' || !/\d{6}\.(?:log|ldb)$/.test(file)) return [`${path}${file}`]
  return Array.from({ length: 60 }, (_, number) => String(number).padStart(6, '0')).flatMap((number) => [
    `${path}/${number}.log`,
    `${path}/${number}.ldb`,
  ])
}

function judgeEpisode({ violations, refusal, isReady }: Episode, say: (text: string) => void): void {
  for (const violation of violations) say(violation)
  if (refusal !== undefined && (refusal.code !== 'IO' || isReady)) say(`open says ${refusal.code}: ${refusal.message}`)
}

async function reopen(oracle: Oracle, task: WriterTask, say: (text: string) => void): Promise<void> {
  const again = { ...task, journal: `${task.journal}2`, tag: 's2', operations: 2, thenAppend: 0, verify: true }
  const { code, errorText } = await startChild('writer', again).ended
  const episode = oracle.judge(again.journal)
  rmSync(again.journal, { force: true })
  for (const violation of episode.violations) say(`after reopening ${violation}`)
  if (episode.refusal !== undefined) say(`cannot be reopened: ${episode.refusal.code}: ${episode.refusal.message}`)
  else if (code !== 0 || !episode.isClosed || episode.endsInFailure) {
    say(`the next writer ended with ${code} after ${episode.failures} refused calls: ${errorText}`)
  }
}

/** A real file system that is full for a while, with the short writes that come with it. */
async function fillDisk(context: CampaignContext, backend: BackendName): Promise<Outcome> {
  const row = {
    campaign: 'io-errors',
    backend,
    promise: 'A full disk costs nothing acknowledged, and the store goes on when there is room again',
    unit: 'full disks',
  }
  if (!isRoot()) return { ...row, attempts: 0, violations: [], skipped: 'mounting needs root' }
  const directory = context.directory()
  const violations: string[] = []
  const count = context.attempts(4, 200)
  const hasTime = context.budget()
  let done = 0
  let failures = 0
  let refusing = 0
  for (let index = 0; index < count && hasTime(); index++) {
    const mount = join(directory, `disk-${backend}`)
    mkdirSync(mount, { recursive: true })
    try {
      runTool('mount', '-t', 'tmpfs', '-o', `size=${context.random.between(300, 1200)}k`, 'tmpfs', mount)
    } catch (error) {
      return { ...row, attempts: index, violations, skipped: `tmpfs cannot be mounted: ${String(error)}` }
    }
    try {
      const ballast = join(mount, 'ballast')
      writeFileSync(ballast, Buffer.alloc(context.random.between(20, 100) * 1024))
      const path = join(mount, 'store')
      const seed = context.random.seed()
      const task: WriterTask = {
        backend,
        path,
        journal: join(directory, `${backend}-${index}.journal`),
        seed,
        tag: 'a',
        lanes: 3,
        operations: 60,
        thenAppend: 100,
        verify: false,
      }
      const say = (text: string): void => {
        violations.push(`${backend}, full disk ${index}, seed ${seed}: ${text}`)
      }
      const oracle = new Oracle()
      const child = startChild('writer', task)
      await fullFor(child, task.journal, context.random.next() * 400)
      runTool('mount', '-o', 'remount,size=64m', mount)
      rmSync(ballast)
      const { code, errorText } = await child.ended
      const first = oracle.judge(task.journal)
      failures += first.failures
      judgeEpisode(first, say)
      if (code !== 0) say(`the writer ended with ${code}: ${errorText}`)
      if (first.endsInFailure) refusing += 1
      await reopen(oracle, task, say)
      rmSync(task.journal, { force: true })
      done += 1
    } finally {
      runTool('umount', mount)
    }
  }
  const note = `${failures} calls were refused; ${refusing} runs ended refusing writes until reopened`
  return { ...row, attempts: done, violations, note }
}

/** Waits until the first call has been refused, and a little longer; or until the child has ended, which it may. */
async function fullFor(child: Child, journal: string, thenMs: number): Promise<void> {
  const over = new AbortController()
  void child.ended.finally(() => over.abort())
  const isRefused = (): boolean => existsSync(journal) && /"t":"(?:failed|refused)"/.test(readFileSync(journal, 'utf8'))
  while (!over.signal.aborted && !isRefused()) await delay(20)
  await delay(thenMs)
}
