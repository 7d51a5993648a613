import { Bench } from 'tinybench'

/** What one contestant did in one round. */
export interface Slice {
  readonly operations: number
  readonly elapsedMs: number
  /** Processor time of the whole process, all threads: says more than the clock does while the machine is busy. */
  readonly cpuMs: number
  readonly latenciesMs: readonly number[]
}

/** Operations per second. */
export function rateOf({ operations, elapsedMs }: Slice): number {
  return (operations * 1000) / elapsedMs
}

/** One caller that waits for each operation before the next. Timed by tinybench. */
export async function timeSequence(operations: number, operation: (index: number) => Promise<unknown>): Promise<Slice> {
  const bench = new Bench({ iterations: operations, time: 0, warmup: false, retainSamples: true, throws: true })
  let index = 0
  bench.add('operation', () => operation(index++), { async: true })
  const cpu = process.cpuUsage()
  const [task] = await bench.run()
  const cpuMs = cpuSince(cpu)
  const result = task?.result
  if (result === undefined || !('latency' in result)) throw new Error('The operation was not timed.')
  const latenciesMs = [...(result.latency.samples ?? [])]
  const elapsedMs = latenciesMs.reduce((sum, latency) => sum + latency, 0)
  return { operations: latenciesMs.length, elapsedMs, cpuMs, latenciesMs }
}

/** Callers that each wait for their own operations only. tinybench has no such thing, so the clock is read here. */
export async function timeCallers(
  callers: number,
  operationsEach: number,
  operation: (caller: number, index: number) => Promise<unknown>,
): Promise<Slice> {
  const latenciesMs: number[] = []
  const call = async (caller: number): Promise<void> => {
    for (let index = 0; index < operationsEach; index++) {
      const begin = performance.now()
      await operation(caller, index)
      latenciesMs.push(performance.now() - begin)
    }
  }
  const cpu = process.cpuUsage()
  const begin = performance.now()
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  const elapsedMs = performance.now() - begin
  return { operations: callers * operationsEach, elapsedMs, cpuMs: cpuSince(cpu), latenciesMs }
}

/** For operations so short that reading the clock for each would show. */
export async function timeLoop(operations: number, operation: () => Promise<unknown> | undefined): Promise<Slice> {
  const cpu = process.cpuUsage()
  const begin = performance.now()
  for (let index = 0; index < operations; index++) {
    const result = operation()
    if (result !== undefined) await result
  }
  const elapsedMs = performance.now() - begin
  return { operations, elapsedMs, cpuMs: cpuSince(cpu), latenciesMs: [elapsedMs / operations] }
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
