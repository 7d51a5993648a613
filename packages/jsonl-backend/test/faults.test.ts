import { expect, test } from 'vitest'
import type { Backend } from '@turnlog/core/backend'
import { isStoreError } from '@turnlog/core/backend'
import { jsonlBackendWith } from '@turnlog/jsonl-backend/testing'
import { checkNextAppends, checkStates, runHistory } from './history.ts'
import type { Model } from './history.ts'
import type { Fault } from './simulated-file-system.ts'
import { SimulatedFileSystem } from './simulated-file-system.ts'
import { simulatedHost } from './simulated-host.ts'

/** `TURNLOG_FAULT_SEEDS=25` for a thorough run. */
const SEEDS = Number(process.env['TURNLOG_FAULT_SEEDS'] ?? 1)
const STEPS = 10

function make(fileSystem: SimulatedFileSystem, pid: number, durability: 'sync' | 'os'): Backend {
  return jsonlBackendWith({ path: '/store', durability, maxOpenFiles: 2 }, { fileSystem, host: simulatedHost(pid) })
}

for (const durability of ['sync', 'os'] as const) {
  for (const fault of ['EIO', 'late EIO', 'ENOSPC', 'EMFILE', 'short'] as const) {
    for (const how of ['once', 'from then on'] as const) {
      test(`${fault} at operation N ${how} in ${durability} mode: typed error, nothing lost, next append good (${SEEDS} seeds)`, async () => {
        let runs = 0
        for (let seed = 1; seed <= SEEDS; seed++) {
          for (let operation = 1; ; operation++) {
            const isReached = await runWithFault(seed, operation, fault, how === 'once', durability)
            if (!isReached) break
            runs++
          }
        }
        expect(runs).toBeGreaterThan(20)
      }, 600_000)
    }
  }
}

/** Gives whether the history had an operation with that number. */
async function runWithFault(
  seed: number,
  operation: number,
  fault: Fault,
  once: boolean,
  durability: 'sync' | 'os',
): Promise<boolean> {
  const fileSystem = new SimulatedFileSystem()
  let isReached = false
  fileSystem.fault = (current) => {
    if (current === operation) isReached = true
    return current === operation || (!once && current > operation) ? fault : undefined
  }
  const model: Model = new Map()
  const backend = make(fileSystem, 1, durability)
  try {
    try {
      await backend.open()
    } catch (error) {
      expect(isStoreError(error, 'IO')).toBe(true)
      fileSystem.fault = () => undefined
      await backend.open()
    }
    await runHistory(backend, seed, STEPS, model)
    if (durability === 'sync') await checkCrash(fileSystem, model)
    // The disk has healed: everything goes on, without opening anew.
    fileSystem.fault = () => undefined
    const found = await checkStates(backend, model)
    await checkNextAppends(backend, found)
    for (const possible of model.values()) possible.onTheWay = []
    for (const [session, possible] of model) {
      const state = found.get(session)
      const incarnation = state?.incarnation ?? 'a new life'
      const last = state === undefined ? 0 : state.first + state.events.length - 1
      const event = { seq: last + 1, id: 'next', type: 'Noted', v: 1, at: 0 }
      const first = state?.first ?? 1
      possible.acknowledged = {
        incarnation,
        first,
        events: [...(state?.events ?? []), event],
        projection: { next: true },
      }
    }
    if (durability === 'sync') await checkCrash(fileSystem, model)
    await backend.close()
    expect(fileSystem.openFiles).toBe(0)
    const again = make(fileSystem, 2, durability)
    await again.open()
    await checkStates(again, model)
    await again.close()
  } catch (error) {
    throw new Error(`seed ${seed}, ${fault} at operation ${operation}: ${String(error)}`, { cause: error })
  }
  return isReached
}

/** After errors, too, a power failure must leave everything that was acknowledged. */
async function checkCrash(fileSystem: SimulatedFileSystem, model: Model): Promise<void> {
  const point = fileSystem.crashPoint('after errors')
  let turn = 0
  for (const choose of [() => false, () => true, () => turn++ % 2 === 0]) {
    const backend = make(SimulatedFileSystem.afterCrash(point, choose), 3, 'sync')
    await backend.open()
    await checkStates(backend, model)
    await backend.close()
  }
}
