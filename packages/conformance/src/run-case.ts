import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Case, CaseContext } from './context/case.ts'
import { checkedHarness } from './checked-harness.ts'
import { endedByUnhandled } from './ended-by-unhandled.ts'
import { Random, seedOf } from './context/random.ts'
import type { Harness, Target } from './context/target.ts'

export interface RunCaseOptions {
  readonly seed: number
  readonly thorough: boolean
}

const TIMEOUT_MS = 60_000
const THOROUGH_FACTOR = 10

/** Runs one case in a directory of its own and removes everything that it made. */
export function runCase(testCase: Case, target: Target, options: RunCaseOptions): Promise<void> {
  return endedByUnhandled((unhandled) => runInDirectory(testCase, target, options, unhandled))
}

async function runInDirectory(
  testCase: Case,
  target: Target,
  { seed, thorough }: RunCaseOptions,
  unhandled: Promise<never>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'turnlog-conformance-'))
  const harnesses: Harness[] = []
  const caseSeed = seedOf(seed, testCase.id)
  const createHarness = async (directory = join(root, `store-${harnesses.length}`)): Promise<Harness> => {
    await mkdir(directory, { recursive: true })
    const harness = checkedHarness(await target.create({ directory, seed: caseSeed }))
    harnesses.push(harness)
    return harness
  }
  const factor = thorough ? THOROUGH_FACTOR : 1
  try {
    const directory = join(root, 'store')
    const harness = await createHarness(directory)
    const context: CaseContext = {
      target,
      harness,
      backend: harness.backend,
      capabilities: harness.backend.capabilities,
      directory,
      root,
      seed: caseSeed,
      random: new Random(caseSeed),
      thorough,
      count: (usual) => usual * factor,
      createHarness,
    }
    const work = async (): Promise<void> => {
      if (testCase.starts !== 'closed') await harness.backend.open()
      await testCase.run(context)
    }
    const running = withTimeout(work(), (testCase.timeoutMs ?? TIMEOUT_MS) * factor)
    await Promise.race([running, unhandled])
  } finally {
    await Promise.allSettled(harnesses.map((harness) => withTimeout(harness.destroy(), TIMEOUT_MS)))
    await rm(root, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`did not finish within ${timeoutMs / 1000} s`)), timeoutMs)
  })
  try {
    await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
