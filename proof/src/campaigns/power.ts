import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { Random } from '@turnlog/conformance/random'

import type { Campaign, CampaignContext, Outcome } from '../campaign.ts'
import { CONTROL_BLOCK_BYTES } from '../child/control-block.ts'
import type { BackendName } from '../child/make-backend.ts'
import type { WriterTask } from '../child/writer-task.ts'
import type { FileSystemName } from '../machine/disk-image.ts'
import { DiskImage, stop, whyNoPowerCuts } from '../machine/disk-image.ts'
import { WriterServer } from '../machine/writer-server.ts'
import { Oracle } from '../model/oracle.ts'

/** Cuts that one store has to live through before the next begins. */
const LIVES = 20

/** Power cut on real file systems, in the middle of writing. */
export const power: Campaign = {
  name: 'power',
  title: 'Power cut on ext4 and xfs',
  async run(context) {
    // Side by side: while one waits for its disk the other computes.
    const outcomes = (['ext4', 'xfs'] as const).map(async (fileSystem): Promise<readonly Outcome[]> => {
      const random = new Random(context.random.seed())
      const skipped = whyNoPowerCuts(fileSystem)
      if (skipped === undefined) return cutFileSystem(context, fileSystem, random)
      return [{ ...rowOf(fileSystem, 'sync'), backend: 'both', attempts: 0, violations: [], skipped }]
    })
    return (await Promise.all(outcomes)).flat()
  },
}

function rowOf(
  fileSystem: FileSystemName,
  what: 'sync' | 'os' | 'control',
): Pick<Outcome, 'campaign' | 'promise' | 'unit'> {
  const promises = {
    sync: `What was acknowledged survives a power cut (${fileSystem})`,
    os: `Control: without waiting for the disk, losses are seen (${fileSystem})`,
    control: `Control: bare writes and syncs lose nothing, so losses are not invented (${fileSystem})`,
  }
  return { campaign: 'power', promise: promises[what], unit: 'power cuts' }
}

/** One store on the disk, its oracle, and the life it is in. */
interface Subject {
  readonly backend: BackendName
  readonly durability: 'sync' | 'os'
  path: string
  oracle: Oracle
  lives: number
  task: WriterTask | undefined
  attempts: number
  losses: number
  readonly violations: string[]
}

/** One process writes to all stores and to the control: one cut hits them all. */
async function cutFileSystem(
  context: CampaignContext,
  fileSystem: FileSystemName,
  random: Random,
): Promise<readonly Outcome[]> {
  const cuts = context.attempts(12, 1_000)
  // The image is what counts as the disk; that it is itself kept in memory only makes its syncs cheap.
  const directory = context.directory({ inMemory: true })
  const disk = new DiskImage(join(directory, 'disk.img'), join(directory, 'mount'), fileSystem)
  const subjects: Subject[] = context.backends.flatMap((backend) =>
    (['sync', 'os'] as const).map((durability) => newSubject(backend, durability)),
  )
  const control = { file: join(disk.mount, 'control'), acknowledgements: join(directory, 'control') }
  const lostBlocks: string[] = []
  const hasTime = context.budget()
  let stores = 0
  let cut = 0
  // The next one is started while the last one still writes, and has only to open its stores when power is back.
  let writer = new WriterServer()
  for (; ; cut++) {
    // A few at least: a store that does not wait for the disk is not hurt by every cut.
    const isLast = cut === cuts || (cut >= 4 && !hasTime())
    // Stores that do not wait are only there to prove that losses are seen: few cuts are enough.
    const present = subjects.filter(({ durability }) => durability === 'sync' || cut % 10 < 3)
    for (const subject of present) {
      const { backend, durability, lives } = subject
      if (lives === LIVES) Object.assign(subject, { path: '', oracle: new Oracle(), lives: 0 })
      if (subject.path === '') subject.path = join(disk.mount, `store-${stores++}`)
      subject.lives++
      subject.task = {
        backend,
        durability,
        path: subject.path,
        seed: random.seed(),
        tag: String(cut),
        lanes: 2,
        journal: join(directory, `${backend}-${durability}.journal`),
        retries: subject.oracle.retries(),
        verify: cut % 5 === 1 || isLast,
        ...(isLast ? { operations: 1 } : {}),
      }
      rmSync(subject.task.journal, { force: true })
    }
    const tasks = present.flatMap(({ task }) => task ?? [])
    const running = writer
    if (isLast) await running.run(tasks)
    else {
      void running.run(tasks, control)
      writer = new WriterServer()
      await running.child.ready
      await delay(random.next() * 100)
      await stop(running.child.process.pid ?? 0)
      disk.cutPower()
    }
    await running.end()
    for (const subject of present) judge(subject, cut, fileSystem)
    if (isLast) break
    await disk.detach()
    disk.attach()
    const acknowledged = existsSync(control.acknowledgements) ? statSync(control.acknowledgements).size : 0
    const onDisk = existsSync(control.file) ? Math.floor(statSync(control.file).size / CONTROL_BLOCK_BYTES) : 0
    if (onDisk < acknowledged) lostBlocks.push(`${fileSystem}, cut ${cut}: ${acknowledged - onDisk} blocks are lost`)
    rmSync(control.file, { force: true })
    rmSync(control.acknowledgements, { force: true })
    for (const old of subjects) {
      if (old.lives === LIVES) rmSync(old.path, { recursive: true, force: true })
    }
    if (cut % 100 === 99) context.progress(`${fileSystem}: ${cut + 1} of ${cuts} cuts`)
  }
  await disk.detach()
  return outcomesOf(subjects, fileSystem, cut, lostBlocks)
}

function newSubject(backend: BackendName, durability: 'sync' | 'os'): Subject {
  const oracle = new Oracle()
  return { backend, durability, path: '', oracle, lives: 0, task: undefined, attempts: 0, losses: 0, violations: [] }
}

/** Each life tells what it found after the cut that ended the one before. */
function judge(subject: Subject, cut: number, fileSystem: FileSystemName): void {
  const { oracle, task, backend, durability } = subject
  if (task === undefined) return
  const { violations, refusal } = oracle.judge(task.journal)
  const found = [...violations]
  if (refusal !== undefined) found.push(`cannot be opened: ${refusal.code}: ${refusal.message}`)
  if (subject.lives > 1) subject.attempts++
  if (found.length === 0) return
  if (durability === 'os') subject.losses++
  else for (const text of found) subject.violations.push(`${backend}, ${fileSystem}, after cut ${cut}: ${text}`)
  // What is left of it cannot be compared any further.
  Object.assign(subject, { path: '', oracle: new Oracle(), lives: 0 })
}

function outcomesOf(
  subjects: readonly Subject[],
  fileSystem: FileSystemName,
  cuts: number,
  lostBlocks: readonly string[],
): readonly Outcome[] {
  const stores: Outcome[] = []
  for (const { backend, durability, attempts, violations } of subjects) {
    if (durability === 'sync') stores.push({ ...rowOf(fileSystem, 'sync'), backend, attempts, violations })
  }
  const waiting = subjects.filter(({ durability }) => durability === 'os')
  const attempts = waiting.reduce((sum, subject) => sum + subject.attempts, 0)
  const losses = waiting.reduce((sum, subject) => sum + subject.losses, 0)
  const blind = losses === 0 ? [`${fileSystem}: none of ${attempts} cuts cost a store that does not wait anything`] : []
  return [
    ...stores,
    { ...rowOf(fileSystem, 'os'), backend: 'both', attempts, violations: blind, note: `seen in ${losses}` },
    { ...rowOf(fileSystem, 'control'), backend: 'none', attempts: cuts, violations: lostBlocks },
  ]
}
