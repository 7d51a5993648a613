import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'

import { expect, test } from 'vitest'

import { copyStore, filesNamed, readStore, temporaryDirectory, writeSample } from './sample-store.ts'

interface Fault {
  readonly kind: 'flip' | 'cut' | 'delete'
  readonly file: string
  readonly at: number
  readonly bit: number
}

/** Every bit and every length in the thorough run; otherwise one in 211. */
const STEP = process.env['TURNLOG_THOROUGH'] === '1' ? 1 : 211

function faultsOf(file: string): readonly Fault[] {
  const name = basename(file)
  const { size } = statSync(file)
  const faults: Fault[] = [{ kind: 'delete', file: name, at: 0, bit: 0 }]
  for (let bit = 0; bit < size * 8; bit += STEP) {
    faults.push({ kind: 'flip', file: name, at: bit >>> 3, bit: bit & 7 })
  }
  for (let at = 0; at < size; at += STEP) faults.push({ kind: 'cut', file: name, at, bit: 0 })
  return faults
}

/** In a child, because LevelDB ends the process on some kinds of damage if it is allowed to see them. */
async function judgeAll(
  task: { base: string; work: string; want: string },
  faults: readonly Fault[],
): Promise<string[]> {
  const results: string[] = []
  while (results.length < faults.length) {
    const rest = faults.slice(results.length)
    const child = fork(join(import.meta.dirname, 'damage-child.mjs'), { stdio: 'ignore', execArgv: [] })
    let isInside = false
    child.on('message', (message: { begins?: boolean; result?: string }) => {
      isInside = message.begins === true
      if (message.result !== undefined) results.push(message.result)
    })
    child.send({ ...task, faults: rest })
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.on('exit', (exitCode, exitSignal) => resolve([exitCode, exitSignal]))
    })
    if (isInside) results.push(`the process ended with ${code ?? signal}`)
    else if (results.length < faults.length) throw new Error(`The child ended with ${code ?? signal} before it began.`)
  }
  return results
}

test(
  'damage to any file is CORRUPT or changes nothing, and the damaged file stays as it is',
  { timeout: 3_600_000 },
  async () => {
    const base = temporaryDirectory()
    await writeSample(base)
    const reference = join(temporaryDirectory(), 'copy')
    copyStore(base, reference)
    const want = JSON.stringify((await readStore(reference)).sessions)
    const files = filesNamed(base, /\.(?:ldb|log)$|^MANIFEST-|^CURRENT$|^turnlog\.anchor$/)
    expect(files.length).toBeGreaterThanOrEqual(5)
    const faults = files.flatMap(faultsOf)
    const results = await judgeAll({ base, work: join(temporaryDirectory(), 'work'), want }, faults)
    const wrong = results.flatMap((result, index) =>
      result === 'CORRUPT' || result === 'same' ? [] : [{ result, fault: faults[index] }],
    )
    expect(wrong).toEqual([])
    expect(results.filter((result) => result === 'CORRUPT').length).toBeGreaterThan(faults.length / 2)
  },
)
