import {
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

import { isStoreError } from '@turnlog/core'

import type { Damage } from '../damage.ts'
import { buildShape, shapeBackend } from './damage-shape.ts'
import type { BackendName } from './make-backend.ts'
import { endWithParent } from './end-with-parent.ts'
import type { StoreImage } from './store-image.ts'
import { imageOf } from './store-image.ts'

interface BuildTask {
  readonly mode: 'build'
  readonly backend: BackendName
  readonly shape: string
  readonly path: string
  readonly olderPath: string
}

export interface JudgeTask {
  readonly mode: 'judge'
  readonly backend: BackendName
  readonly shape: string
  readonly path: string
  readonly olderPath: string
  /** Where the damaged copies are made. */
  readonly work: string
  /** A file with the damages, as JSON. */
  readonly damages: string
  readonly from: number
  /** The number of the damage under way is written here, so that a death can be told from a result. */
  readonly progress: string
  /** Lines `index verdict detail`. */
  readonly results: string
}

interface Known {
  readonly whole: StoreImage
  /** What must at least be there or be missed, if that is less than the whole. */
  readonly floor: StoreImage | undefined
}

const REFUSALS: ReadonlySet<string> = new Set(['CORRUPT', 'UNSUPPORTED'])
const task = JSON.parse(process.argv[2] ?? '') as BuildTask | JudgeTask
endWithParent()

if (task.mode === 'build') {
  await buildShape(task.backend, task.shape, task.path, task.olderPath)
  if (task.shape.startsWith('crashed')) process.kill(process.pid, 'SIGKILL')
} else await judgeAll(task)

async function judgeAll(task: JudgeTask): Promise<void> {
  const damages = JSON.parse(readFileSync(task.damages, 'utf8')) as readonly Damage[]
  const whole = await wholeImage(task, task.path)
  const floor = hasAnchor(task) ? undefined : await wholeImage(task, task.olderPath)
  const progress = openSync(task.progress, 'w')
  const results = openSync(task.results, 'a')
  for (let index = task.from; index < damages.length; index++) {
    writeSync(progress, `${String(index).padEnd(12)}\n`, 0)
    const verdict = await judge(task, damages[index] as Damage, { whole, floor }, index)
    writeSync(results, `${index} ${verdict}\n`)
  }
  writeSync(progress, `${String(damages.length).padEnd(12)}\n`, 0)
  closeSync(progress)
  closeSync(results)
}

/**
 * JSONL has nothing outside of a session's file that is written with every append. After a kill it knows what the last
 * clean close knew; that whole appends after that were cut off exactly between two of them cannot be seen. SQLite has
 * the index of its log, which is damaged or gone as well here.
 */
function hasAnchor({ backend, shape }: JudgeTask): boolean {
  return backend === 'leveldb' || !shape.startsWith('crashed')
}

async function wholeImage(task: JudgeTask, path: string): Promise<StoreImage> {
  copyStore(path, task.work)
  const backend = shapeBackend(task.backend, task.shape, task.work)
  await backend.open()
  const image = await imageOf(backend)
  await backend.close()
  if (image.refusals.length > 0 || image.sessions.size === 0) throw new Error('The undamaged store cannot be read.')
  return image
}

/** `same`, `refused`, `torn` (reported, and a beginning of what was there), `unseen` (a limit that is documented), or `WRONG`. */
async function judge(task: JudgeTask, damage: Damage, known: Known, index: number): Promise<string> {
  copyStore(task.path, task.work)
  inflict(task, damage)
  const first = await look(task, damage, known)
  // What was found must also be found by the next one who looks: refusing must not have repaired or removed anything.
  if (index % 8 !== 0 || first.startsWith('WRONG') || first === 'same') return first
  const second = await look(task, damage, known)
  if (second.startsWith('WRONG') && !first.startsWith('torn'))
    return `WRONG at the second opening: ${second} (${first})`
  if (first.startsWith('refused') && !second.startsWith('refused') && second !== 'same') {
    return `WRONG: refused at first (${first}), then ${second}`
  }
  return first
}

async function look(task: JudgeTask, damage: Damage, known: Known): Promise<string> {
  const backend = shapeBackend(task.backend, task.shape, task.work)
  let reported: readonly string[]
  try {
    reported = (await backend.open()).findings.map(({ kind }) => kind)
  } catch (error) {
    if (!isStoreError(error)) return `WRONG: untyped error from open: ${String(error)}`
    const allowed = REFUSALS.has(error.code) || (error.code === 'LOCKED' && /lock/i.test(damage.file))
    return allowed ? `refused ${error.code}` : `WRONG: open says ${error.code}: ${error.message}`
  }
  try {
    const verdict = compare(known, await imageOf(backend, known.whole.sessions.keys()), reported)
    return verdict.startsWith('WRONG') && isWholeStore(task, damage) ? 'unseen' : verdict
  } finally {
    await backend.close().catch(() => undefined) // what matters has been read
  }
}

function compare({ whole, floor }: Known, found: StoreImage, reported: readonly string[]): string {
  const odd = found.refusals.find(({ code }) => !REFUSALS.has(code))
  if (odd !== undefined) return `WRONG: reading says ${odd.code}: ${odd.message}`
  const isTorn = reported.includes('torn-tail') || reported.includes('lost-tail')
  const least = (key: string): number => (floor ?? whole).sessions.get(key)?.events.length ?? 0
  let shorter = 0
  let unseen = 0
  for (const [key, image] of found.sessions) {
    const original = whole.sessions.get(key)
    if (original === undefined) return `WRONG: there is a session ${JSON.stringify(key)} that never was`
    const isSame = original.head === image.head && sameEvents(original.events, image.events)
    if (isSame) continue
    const isBeginning = image.events.every((event, index) => original.events[index] === event)
    if (floor !== undefined && !isTorn && isBeginning && image.events.length >= Math.max(1, least(key))) {
      unseen++
      continue
    }
    if (!isTorn || !isBeginning || image.events.length >= original.events.length) {
      return `WRONG: session ${JSON.stringify(key)} has ${image.events.length} of ${original.events.length} events, or others, and nobody says so (${reported.join(' ') || 'no finding'})`
    }
    shorter++
  }
  if (found.refusals.length > 0) return `refused ${found.refusals[0]?.code ?? ''}`
  const absent = [...whole.sessions.keys()].filter((key) => !found.sessions.has(key))
  const missing = absent.filter((key) => isTorn || floor === undefined || least(key) > 0)
  unseen += absent.length - missing.length
  if (missing.length > 0 && !isTorn) {
    return `WRONG: ${missing.length} sessions are missing and nobody says so (${reported.join(' ') || 'no finding'})`
  }
  if (shorter + missing.length > 0) return 'torn'
  return unseen > 0 ? 'unseen' : 'same'
}

/** One file is all that a closed SQLite store has: one that is gone or older is what a restore gives as well. */
function isWholeStore({ backend, shape }: JudgeTask, { kind, file }: Damage): boolean {
  const isOfFile = backend === 'sqlite' && file === 'sessions.db' && !shape.startsWith('crashed')
  return isOfFile && (kind === 'delete' || kind === 'older')
}

function sameEvents(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((event, index) => event === b[index])
}

function inflict(task: JudgeTask, damage: Damage): void {
  const file = join(task.work, damage.file)
  switch (damage.kind) {
    case 'flip': {
      const bytes = readFileSync(file)
      bytes[damage.at] = (bytes[damage.at] ?? 0) ^ (1 << damage.bit)
      writeFileSync(file, bytes)
      break
    }
    case 'cut':
      truncateSync(file, damage.at)
      break
    case 'delete':
      rmSync(file)
      break
    case 'older':
      copyFileSync(join(task.olderPath, damage.file), file)
  }
}

function copyStore(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) cpSync(join(from, entry.name), join(to, entry.name), { recursive: true })
    else if (!entry.isSocket()) copyFileSync(join(from, entry.name), join(to, entry.name))
  }
}
