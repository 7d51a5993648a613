import { expect, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { checkNextAppends, checkStates, copyModel, randomFrom, readState, runHistory } from './history.ts'
import type { Model, State } from './history.ts'
import type { CrashPoint } from './simulated-file-system.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

/** `TURNLOG_HISTORIES=2000` runs the full number. */
const HISTORIES = Number(process.env['TURNLOG_HISTORIES'] ?? 8)
const FIRST_SEED = Number(process.env['TURNLOG_SEED'] ?? 1)
const STEPS = 5

/** Up to this many undecided parts every combination is tried; beyond it, the extremes and a random choice. */
const ALL_COMBINATIONS_UP_TO = 5

function make(fileSystem: SimulatedFileSystem, pid: number): Backend {
  // One file at a time, so that files are opened again and again.
  return jsonlBackendWith({ path: '/store', maxOpenFiles: 1 }, { fileSystem, host: simulatedHost(pid) })
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
    await backend.open()
    await runHistory(backend, seed + 1_000_000, STEPS, model)
    await backend.close()
    await checkReopened(fileSystem, model)
    const random = randomFrom(seed + 7919)
    for (const { point, model: possible } of points) {
      for (const choose of choices(SimulatedFileSystem.undecided(point), random)) {
        states++
        const crashed = SimulatedFileSystem.afterCrash(point, choose)
        try {
          await checkCrashed(crashed, possible, states % 8 === 0, states % 64 === 0)
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

async function checkCrashed(
  fileSystem: SimulatedFileSystem,
  possible: Model,
  thoroughly: boolean,
  twice: boolean,
): Promise<void> {
  const backend = make(fileSystem, 2)
  const points: CrashPoint[] = []
  if (twice) fileSystem.onCrashPoint = (take) => points.push(take())
  await backend.open()
  const found = await checkStates(backend, possible)
  const inRecovery = points.length
  if (thoroughly) await checkNextAppends(backend, found)
  await backend.close()
  if (!thoroughly) return
  fileSystem.onCrashPoint = undefined
  await checkCrashedAgain(points, inRecovery, found)
  const again = make(fileSystem, 3)
  const report = await again.open()
  expect(report.findings).toEqual([])
  const problems = await again.maintenance?.verify()
  expect(problems?.problems).toEqual([])
  await again.close()
}

/** A second crash, while the first one is being recovered from or soon after, must not cost anything either. */
async function checkCrashedAgain(
  points: readonly CrashPoint[],
  inRecovery: number,
  found: ReadonlyMap<string, State | undefined>,
): Promise<void> {
  const settled: Model = new Map([...found].map(([session, state]) => [session, { acknowledged: state, onTheWay: [] }]))
  for (const [index, point] of points.entries()) {
    for (const choose of [() => false, () => true]) {
      const backend = make(SimulatedFileSystem.afterCrash(point, choose), 3)
      await backend.open()
      if (index < inRecovery) await checkStates(backend, settled)
      else for (const session of found.keys()) await readState(backend, session)
      await backend.close()
    }
  }
}
