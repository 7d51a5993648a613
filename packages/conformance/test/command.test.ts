import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { Report } from '@turnlog/conformance'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
const memory = fileURLToPath(new URL('./fixtures/memory-target.js', import.meta.url))
const broken = fileURLToPath(new URL('./fixtures/broken-target.js', import.meta.url))
const naive = fileURLToPath(new URL('./fixtures/naive-target.js', import.meta.url))
const unproven = fileURLToPath(new URL('./fixtures/unproven-target.js', import.meta.url))

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnlog-command-'))
})
afterAll(() => rm(directory, { recursive: true }))

interface Outcome {
  readonly code: number
  readonly output: string
}

function run(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, FORCE_COLOR: '0' }
    execFile(process.execPath, [bin, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}

const report = async (file: string): Promise<Report> => JSON.parse(await readFile(file, 'utf8')) as Report

describe('the command', () => {
  test('runs everything, shows progress and a summary, writes its report and exits with 0', async () => {
    const json = join(directory, 'report.json')
    const { code, output } = await run(memory, '--seed', '5', '--json', json)
    expect(output).toMatch(/^ *1\/\d+ ok capabilities\.contract/m)
    expect(output).toContain('seed 5, level should')
    expect(code).toBe(0)
    const written = await report(json)
    expect(written).toMatchObject({
      suite: { name: '@turnlog/conformance', contract: 1 },
      backend: { name: 'memory', capabilities: { persistent: false, access: 'exclusive' } },
      environment: { node: process.version, platform: process.platform },
      seed: 5,
      complete: true,
      level: 'should',
    })
    expect(written.counts.failed + written.counts.unproven).toBe(0)
    expect(written.cases.every(({ durationMs }) => durationMs >= 0)).toBe(true)
  })

  test('tells of a failure what was promised, expected and found, and how to repeat it, and exits with 1', async () => {
    const { code, output } = await run(broken, '--grep', '^read\\.range\\.', '--seed', '9')
    expect(code).toBe(1)
    expect(output).toContain('read.range.ends (must): Both ends of a range belong to it.')
    expect(output).toContain('expected: [ 3, 4, 5 ]')
    expect(output).toContain('actual:   [ 3, 4 ]')
    expect(output).toContain('differs:  [2]: 5 was expected, nothing came')
    expect(output).toContain('prevents: The first or the last message of a view is missing.')
    expect(output).toContain('seed:     9')
    const repeat = /repeat: +npx @turnlog\/conformance (\S+) --grep '(\S+)' --seed (\d+)/.exec(output)
    expect(repeat?.[1]).toBe(broken)
    const again = await run(repeat?.[1] ?? '', '--grep', repeat?.[2] ?? '', '--seed', repeat?.[3] ?? '')
    expect(again.code).toBe(1)
    expect(again.output).toContain('1 failed')
  })

  test('names the file that it was run on in the command that repeats a failure, also if the target names no module', async () => {
    const path = relative(process.cwd(), naive)
    const { output } = await run(path, '--grep', '^append\\.conflict\\.stale$', '--seed', '9')
    expect(output).toContain(
      `repeat:   npx @turnlog/conformance ${path} --grep '^append\\.conflict\\.stale$' --seed 9\n`,
    )
  })

  test('says of an error that has the right code what it lacks to be a StoreError', async () => {
    const { code, output } = await run(naive, '--grep', '^append\\.(conflict\\.stale|race\\.one-wins)$')
    expect(code).toBe(1)
    expect(output).toContain('expected: rejected with CONFLICT')
    expect(output.match(/Error: version conflict/g)).toHaveLength(2)
    const hints = output.match(/has the code CONFLICT, but is not a StoreError.*@turnlog\/core\/backend/g)
    expect(hints).toHaveLength(2)
  })

  test('never takes an unproven must for a pass', async () => {
    const json = join(directory, 'unproven.json')
    const { code, output } = await run(unproven, '--grep', '^(exclusive|append\\.creates)', '--json', json)
    expect(code).toBe(1)
    expect(output).toContain('exclusive.process: unproven, the harness has no second()')
    expect((await report(json)).counts).toMatchObject({ passed: 1, failed: 0 })
  })

  test('reaches no level with a part of the suite', async () => {
    const json = join(directory, 'part.json')
    const { code, output } = await run(memory, '--grep', '^head', '--json', json)
    expect(code).toBe(0)
    expect(output).toContain('a part of the suite, which reaches no level')
    expect(await report(json)).toMatchObject({ complete: false, level: 'none' })
  })

  test('exits with 2 when there is nothing to run', async () => {
    const empty = join(directory, 'empty.mjs')
    await writeFile(empty, 'export const other = 1\n')
    for (const args of [
      [join(directory, 'missing.js')],
      [empty],
      [memory, '--grep', 'no-such-case'],
      [memory, '--grep', '('],
      [memory, '--seed', 'x'],
      [],
    ]) {
      const { code, output } = await run(...args)
      expect(code, output).toBe(2)
    }
  })

  test('says before the run, and without a stack, what whoever started it can put right', async () => {
    const relativeModule = join(directory, 'relative.mjs')
    await writeFile(
      relativeModule,
      "export const target = { name: 'relative', module: './relative.mjs', create() {} }\n",
    )
    const mistakes: readonly (readonly [string, ...string[]])[] = [
      ['There is no', join(directory, 'missing.js')],
      ['there is no folder', memory, '--json', join(directory, 'missing', 'report.json')],
      ['cannot find. Give import.meta.url', relativeModule],
      ['No case matches', memory, '--grep', 'no-such-case'],
    ]
    for (const [said, ...args] of mistakes) {
      const { code, output } = await run(...args)
      expect(output).toContain(said)
      expect(output).not.toMatch(/^ +at |1\/\d+ ok/m)
      expect(code).toBe(2)
    }
  })

  test('ends, and says why, when the backend keeps the process alive', async () => {
    const alive = join(directory, 'alive.mjs')
    await writeFile(
      alive,
      `export { target } from '${pathToFileURL(memory).href}'\nsetInterval(() => undefined, 1000)\n`,
    )
    const { code, output } = await run(alive, '--grep', '^head\\.unknown$')
    expect(output).toContain('The process was still alive after the run.')
    expect(code).toBe(0)
  })

  test('ends one case, not the run, when nobody handles a rejection, and exits with 1', async () => {
    const careless = join(directory, 'careless.mjs')
    await writeFile(
      careless,
      `import { memoryBackend } from '@turnlog/core/memory'
const make = () => {
  const backend = memoryBackend()
  const erase = backend.erase.bind(backend)
  backend.erase = (...args) => (void Promise.reject(new Error('in the background')), erase(...args))
  return backend
}
export const target = { name: 'careless', create: async () => {
  const backend = make()
  return { backend, reopen: () => backend.open().then(() => backend), destroy: () => backend.close() }
} }
`.replace('@turnlog/core/memory', new URL('../../core/dist/memory/index.js', import.meta.url).href),
    )
    const { code, output } = await run(careless, '--grep', '^(erase\\.(removes|missing)|list\\.empty)$')
    expect(output).toContain('2 failed')
    expect(output).toContain('1 passed')
    expect(output).toContain('in the background')
    expect(code).toBe(1)
  })

  test('blames the target when what it reopens is not open', async () => {
    const lazy = join(directory, 'lazy.mjs')
    await writeFile(
      lazy,
      `import { folderTarget } from '${new URL('./fixtures/folder-target.js', import.meta.url).href}'
import { folderBackend } from '${new URL('./fixtures/folder-backend.js', import.meta.url).href}'
const right = folderTarget('lazy', import.meta.url, folderBackend)
export const target = {
  ...right,
  async create(context) {
    const harness = await right.create(context)
    return { ...harness, reopen: async () => (await harness.backend.close(), harness.backend) }
  },
}
`,
    )
    const { code, output } = await run(lazy, '--grep', '^persistent\\.reopen$')
    expect(output).toContain('the target, not the backend')
    expect(code).toBe(1)
  })
})
