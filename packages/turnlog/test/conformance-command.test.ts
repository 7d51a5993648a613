import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runCommand } from './run-command.ts'
import { temporaryDirectory } from './sample-store.ts'

test('conformance hands everything on to the suite, its options and its exit code', async () => {
  const directory = temporaryDirectory()
  const memory = new URL('../../core/dist/memory/index.js', import.meta.url).href
  const create = `async () => {
    const backend = memoryBackend()
    const reopen = async () => { await backend.close(); const next = memoryBackend(); await next.open(); return next }
    return { backend, reopen, destroy: () => backend.close() }
  }`
  const module = `import { memoryBackend } from '${memory}'\nexport const target = { name: 'memory', create: ${create} }\n`
  writeFileSync(join(directory, 'target.mjs'), module)
  const args = ['conformance', 'target.mjs', '--grep', '^append\\.conflict', '--json', 'report.json']
  const { code, stdout, stderr } = await runCommand(args, { cwd: directory })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('append.conflict')
  expect(await runCommand(['conformance', 'none.mjs'], { cwd: directory })).toMatchObject({ code: 2 })
  // Nothing that was not run may look like a pass.
  const plain = await runCommand(['--no-color', ...args], { cwd: directory, env: { FORCE_COLOR: '1' } })
  expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining('append.conflict') })
  expect(await runCommand(['--no-color', 'conformance', 'none.mjs'], { cwd: directory })).toMatchObject({ code: 2 })
  for (const before of [['--json'], ['--store', 'jsonl:./x'], ['--no-color', '--json']]) {
    const refused = await runCommand([...before, ...args], { cwd: directory })
    expect(refused, before.join(' ')).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr, before.join(' ')).toContain('put conformance first and its options behind it')
  }
  const help = await runCommand(['conformance', '--help'])
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('turnlog-conformance [options] <target>') })
})

test('conformance without the suite ends with 2 and names the line that runs it', () => {
  const directory = temporaryDirectory()
  const home = fileURLToPath(new URL('..', import.meta.url))
  cpSync(join(home, 'dist'), join(directory, 'dist'), { recursive: true })
  cpSync(join(home, 'package.json'), join(directory, 'package.json'))
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { dependencies: object }
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(directory, 'node_modules', name)), { recursive: true })
    symlinkSync(join(home, 'node_modules', name), join(directory, 'node_modules', name))
  }
  const args = [join(directory, 'dist/bin.js'), 'conformance', 'target.mjs', '--json', 'report.json']
  // The scripts of package managers let Node look into their own folders as well.
  const env = { ...process.env, NODE_PATH: '' }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain('Run: npx @turnlog/conformance target.mjs --json report.json\n')
  expect(Object.keys(dependencies)).not.toContain('@turnlog/conformance')
})
