import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const DEMO = fileURLToPath(new URL('../dist/demo/main.js', import.meta.url))

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnlog-demo-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function runDemo(cwd: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [DEMO], { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } })
}

/** Times, counts and what the agent had come to differ from run to run. */
function whatStays(text: string): string[] {
  return text.split('\n').map((line) =>
    line
      .replace(/(MessageAdded) .*/, '$1')
      .replaceAll(/\([\d–, …]+\)/g, '(positions)')
      .replaceAll(/\d+/g, 'N')
      .replaceAll(/\bmessages\b/g, 'message')
      .replaceAll(/ +/g, ' '),
  )
}

/** Every line of the demo that the README quotes is one that the demo prints. */
function expectQuoted(output: string): void {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const [, quoted = ''] = /^`npm run demo`.*?^```text\n(.*?)^```$/ms.exec(readme) ?? []
  const printed = whatStays(output)
  expect(whatStays(quoted).filter((line) => !printed.some((other) => other.includes(line)))).toEqual([])
  expect(quoted.split('\n').length).toBeGreaterThan(20)
}

test('the demo loses nothing, shows what others lose, and leaves a store to look at', async () => {
  const cwd = temporaryDirectory()
  const { status, stdout, stderr } = runDemo(cwd)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [, found, acknowledged] = /✓ (\d+) of (\d+) acknowledged messages are there/.exec(stdout) ?? []
  expect(Number(found)).toBe(Number(acknowledged))
  expect(Number(found)).toBeGreaterThanOrEqual(140)
  expect(stdout).not.toContain('✗')
  expect(stdout).toMatch(/JSON, atomic rename +40 +32 +8\n/)
  expect(stdout).toMatch(/JSONL \+ metadata +41 +40 +1\n/)
  expect(stdout).toMatch(/Turnlog +(\d+) +\1 +0\n/)
  expectQuoted(stdout)
  const env = { ...process.env, TURNLOG_STORE: 'leveldb:.demo/sessions' }
  const next = [...stdout.matchAll(/node (.*bin\.js) (.*)\n/g)]
  expect(next.length).toBe(5)
  for (const [, bin = '', args = ''] of [...next, ['', next[0]?.[1], 'verify']])
    expect(spawnSync(process.execPath, [bin, ...args.split(' ')], { cwd, env }), args).toMatchObject({ status: 0 })
  expect(runDemo(cwd).status).toBe(0)
})

test('the demo leaves a directory alone that it did not make', () => {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, '.demo'))
  writeFileSync(join(cwd, '.demo', 'precious'), '')
  const { status, stderr } = runDemo(cwd)
  expect(status).toBe(1)
  expect(stderr).toContain('it is left alone')
})
