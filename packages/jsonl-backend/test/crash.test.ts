import { expect, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import { jsonlBackend } from '@turnlog/jsonl-backend'
import { checkNextAppends, checkStates, copyModel, randomFrom, runHistory } from './history.ts'
import type { Model } from './history.ts'
import type { CrashPoint } from './simulated-file-system.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

/** `TURNLOG_HISTORIES=2000` runs the full number. */
const HISTORIES = Number(process.env['TURNLOG_HISTORIES'] ?? 60)
const FIRST_SEED = Number(process.env['TURNLOG_SEED'] ?? 1)
const STEPS = 8

/** Up to this many undecided parts every combination is tried; beyond it, the extremes and a random choice. */
const ALL_COMBINATIONS_UP_TO = 5

function make(fileSystem: SimulatedFileSystem, pid: number): Backend {
  return jsonlBackend({ path: '/store' }, { fileSystem, host: simulatedHost(pid) })
}

/** Which parts reached the disk, as functions that answer one question after the other. */
function* choices(parts: number, random: (below: number) => number): Generator<() => boolean> {
  const fromBits = (bits: readonly boolean[]) => {
    let index = 0
    return () => bits[index++] ?? false
  }
  if (parts <= ALL_COMBINATIONS_UP_TO) {
    for (let mask = 0; mask < 2 ** parts; mask++) {
      yield fromBits(Array.from({ length: parts }, (_, bit) => (mask & (1 << bit)) !== 0))
    }
    return
  }
  yield () => false
  yield () => true
  for (let single = 0; single < 4; single++) {
    const one = random(parts)
    yield fromBits(Array.from({ length: parts }, (_, bit) => bit !== one))
    yield fromBits(Array.from({ length: parts }, (_, bit) => bit <= one))
  }
  for (let times = 0; times < 6; times++) yield fromBits(Array.from({ length: parts }, () => random(2) === 0))
}

test(`every crash state of ${HISTORIES} histories (seeds from ${FIRST_SEED}) opens with every acknowledged event`, async () => {
  let states = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
    const fileSystem = new SimulatedFileSystem()
    const model: Model = new Map()
    const points: { readonly point: CrashPoint; readonly model: Model }[] = []
    fileSystem.onCrashPoint = (take) => points.push({ point: take(), model: copyModel(model) })
    const backend = make(fileSystem, 1)
    await backend.open()
    await runHistory(backend, seed, STEPS, model)
    await backend.close()
    await checkReopened(fileSystem, model)
    const random = randomFrom(seed + 7919)
    for (const { point, model: possible } of points) {
      for (const choose of choices(SimulatedFileSystem.undecided(point), random)) {
        states++
        const crashed = SimulatedFileSystem.afterCrash(point, choose)
        try {
          await checkCrashed(crashed, possible, states % 4 === 0)
        } catch (error) {
          throw new Error(`seed ${seed}, crash at ${point.operation}: ${String(error)}`, { cause: error })
        }
      }
    }
  }
  console.info(`${HISTORIES} histories, ${states} crash states`)
  expect(states).toBeGreaterThan(HISTORIES * 50)
}, 3_600_000)

async function checkReopened(fileSystem: SimulatedFileSystem, model: Model): Promise<void> {
  fileSystem.onCrashPoint = undefined
  const backend = make(fileSystem, 2)
  const report = await backend.open()
  expect(report.findings).toEqual([])
  await checkStates(backend, model)
  await backend.close()
  expect(fileSystem.openFiles).toBe(0)
}

async function checkCrashed(fileSystem: SimulatedFileSystem, possible: Model, thoroughly: boolean): Promise<void> {
  const backend = make(fileSystem, 2)
  await backend.open()
  const found = await checkStates(backend, possible)
  if (thoroughly) await checkNextAppends(backend, found)
  await backend.close()
  if (!thoroughly) return
  const again = make(fileSystem, 3)
  const report = await again.open()
  expect(report.findings).toEqual([])
  const problems = await again.maintenance?.verify()
  expect(problems?.problems).toEqual([])
  await again.close()
}
