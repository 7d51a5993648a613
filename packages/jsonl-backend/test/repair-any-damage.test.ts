import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend, RepairReport } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { appendMessages, message, readAll } from './sample.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

const FILE = '/store/chat.jsonl'
const SIDECAR = '/store/turnlog.heads'

type Damage =
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'wrong'; readonly at: number; readonly bytes: number; readonly apart: number }
  | { readonly kind: 'missing'; readonly at: number }

interface Case {
  readonly appends: readonly number[]
  /** How many of them the sidecar knows; 0: there is none. */
  readonly known: number
  /** One of them that trims events in front of it, whose lines are then removed. */
  readonly trimming: { readonly append: number; readonly keeps: number } | undefined
  readonly damage: Damage
}

/** A place is a share of the file, or counted from its end, where most is at stake. */
const place = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: -40, max: -1 }))

const cases: fc.Arbitrary<Case> = fc
  .array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 5 })
  .chain((appends) =>
    fc.record({
      appends: fc.constant(appends),
      known: fc.integer({ min: 0, max: appends.length }),
      trimming: fc.option(
        fc.record({ append: fc.integer({ min: 0, max: appends.length - 1 }), keeps: fc.integer({ min: 0, max: 9 }) }),
        { nil: undefined, freq: 2 },
      ),
      damage: fc.oneof(
        fc.record({ kind: fc.constant('cut' as const), at: place }),
        fc.record({
          kind: fc.constant('wrong' as const),
          at: place,
          bytes: fc.oneof(fc.constantFrom(0, 0x0a0a, 0x7d7d, 0x3030), fc.integer({ min: 0, max: 0xffff })),
          apart: fc.integer({ min: 1, max: 300 }),
        }),
        fc.record({ kind: fc.constant('missing' as const), at: place }),
      ),
    }),
  )

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}

function make(fileSystem: SimulatedFileSystem): Backend {
  return jsonlBackendWith({ path: '/store' }, { fileSystem, host: simulatedHost(1) })
}

/** With which event the file begins. */
function baseOf({ appends, trimming }: Case): number {
  return trimming === undefined ? 1 : Math.max(1, sum(appends.slice(0, trimming.append)) + 1 - trimming.keeps)
}

async function makeStore(one: Case): Promise<SimulatedFileSystem> {
  const { appends, known, trimming } = one
  const fileSystem = new SimulatedFileSystem()
  const backend = make(fileSystem)
  let last = 0
  let sidecar: Buffer | undefined
  await backend.open()
  for (const [index, count] of appends.entries()) {
    const isTrimming = trimming?.append === index
    const options = isTrimming ? { trimBefore: baseOf(one) } : {}
    last = await appendMessages(backend, 'chat', last, count, options)
    if (isTrimming) await backend.maintenance?.reclaim()
    if (index !== known - 1) continue
    await backend.close()
    sidecar = fileSystem.content(SIDECAR)
    await backend.open()
  }
  await backend.close()
  if (sidecar === undefined) await fileSystem.remove(SIDECAR)
  else fileSystem.replaceContent(SIDECAR, sidecar)
  return fileSystem
}

function indexOf(at: number, length: number): number {
  return at < 0 ? Math.max(0, length + at) : Math.min(length - 1, Math.floor(at * length))
}

function apply(good: Buffer, damage: Damage): Buffer {
  if (damage.kind === 'cut') return good.subarray(0, indexOf(damage.at, good.length))
  if (damage.kind === 'missing') {
    const lines = good.toString().split('\n')
    lines.splice(1 + indexOf(damage.at, lines.length - 2), 1)
    return Buffer.from(lines.join('\n'))
  }
  const damaged = Buffer.from(good)
  const at = indexOf(damage.at, good.length)
  damaged[at] = damage.bytes >> 8
  damaged[Math.min(at + damage.apart, good.length - 1)] = damage.bytes & 0xff
  return damaged
}

/** Seqs of the events whose lines are as they were written. */
function untouched(good: Buffer, damaged: Buffer, base: number): Set<number> {
  const present = new Set(damaged.toString('latin1').split('\n').slice(0, -1))
  const [, ...lines] = good.toString('latin1').split('\n').slice(0, -1)
  return new Set(lines.flatMap((line, index) => (present.has(line) ? [base + index] : [])))
}

/** The last event that is proven to have been acknowledged, judged as simply as it can be said. */
function provenLast(one: Case, whole: ReadonlySet<number>): number {
  const { appends, known, trimming } = one
  // The file was written for its first append, or for the one that trimmed.
  const founder = baseOf(one) === 1 ? 0 : (trimming?.append ?? 0)
  let proven = Math.max(sum(appends.slice(0, known)), sum(appends.slice(0, founder + 1)))
  for (const [index, count] of appends.entries()) {
    const before = sum(appends.slice(0, index))
    const seqs = Array.from({ length: count }, (_, offset) => before + 1 + offset).filter((seq) => seq >= baseOf(one))
    if (seqs.length === 0) continue
    if (seqs.some((seq) => whole.has(seq))) proven = Math.max(proven, before)
    if (seqs.every((seq) => whole.has(seq))) proven = Math.max(proven, before + count)
  }
  return proven
}

function longestRun(seqs: readonly number[]): number {
  let longest = 0
  let run = 0
  for (const [index, seq] of seqs.entries()) {
    run = seqs[index - 1] === seq - 1 ? run + 1 : 1
    longest = Math.max(longest, run)
  }
  return longest
}

/** Every event that the actions say is dropped. */
function named({ actions }: RepairReport): Set<number> {
  const seqs = new Set<number>()
  for (const { message: text } of actions) {
    const dropping = /(?:Drop|drop|Cut off|Lines for) .*/.exec(text)?.[0] ?? ''
    for (const [, from, to] of dropping.matchAll(/events? (\d+)(?: to (\d+))?/g)) {
      for (let seq = Number(from); seq <= Number(to ?? from); seq++) seqs.add(seq)
    }
  }
  return seqs
}

/** With which event the session ends if it is opened instead; `undefined` if it cannot be read. */
async function openedAs(fileSystem: SimulatedFileSystem): Promise<number | undefined> {
  const copy = SimulatedFileSystem.afterCrash(fileSystem.crashPoint('a copy'), () => true)
  const backend = make(copy)
  await backend.open()
  try {
    await readAll(backend, 'chat')
    return (await backend.head('chat'))?.last
  } catch (error) {
    if (isStoreError(error, 'CORRUPT')) return undefined
    throw error
  } finally {
    await backend.close()
  }
}

describe('repair after any one damage', () => {
  test('keeps a gapless stretch that is as long as any of proven events, and names all others that can be read', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const fileSystem = await makeStore(one)
        const good = fileSystem.content(FILE)
        const damaged = apply(good, one.damage)
        fileSystem.replaceContent(FILE, damaged)
        const opened = await openedAs(fileSystem)
        const backend = make(fileSystem)
        const report = (await backend.maintenance?.repair({ apply: true })) as RepairReport
        expect((await backend.maintenance?.repair())?.actions).toEqual([])
        expect((await backend.open()).findings).toEqual([])
        expect((await backend.maintenance?.verify())?.problems).toEqual([])
        const kept = await readAll(backend, 'chat')
        await backend.close()

        const from = kept[0]?.seq ?? 1
        expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => from + index))
        // Without the incarnation no checksum can be checked, so a line may be taken for another; then that is said.
        if (report.actions.some((action) => action.message.includes('could not be checked'))) return
        expect(kept).toEqual(kept.map(({ seq }) => message(seq)))
        const whole = untouched(good, damaged, baseOf(one))
        const proven = provenLast(one, whole)
        const seqs = [...whole]
        expect(kept.length).toBeGreaterThanOrEqual(longestRun(seqs.filter((seq) => seq <= proven)))
        const names = named(report)
        const isKept = (seq: number): boolean => seq >= from && seq < from + kept.length
        for (const seq of seqs) expect(names.has(seq), `event ${seq}`).toBe(!isKept(seq))
        // Only what opening cannot mend makes a difference.
        const isMended = report.actions.some((action) => /^(?:Turn back|End the line)/.test(action.message))
        if (opened !== undefined && !isMended) expect(from + kept.length - 1).toBe(opened)
      }),
      { numRuns: 1000 },
    )
  })
})
