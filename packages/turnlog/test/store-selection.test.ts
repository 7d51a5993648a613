import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from './run-command.ts'
import type { Finished } from './run-command.ts'
import { runHere } from './run-here.ts'
import { sampleStore, temporaryDirectory } from './sample-store.ts'

test('--store wins over TURNLOG_STORE, which wins over turnlog.config.json', async () => {
  const inOption = await sampleStore('jsonl', (store) => store.addMessage('option', 'user', 'x'))
  const inVariable = await sampleStore('leveldb', (store) => store.addMessage('variable', 'user', 'x'))
  const inFile = await sampleStore('jsonl', (store) => store.addMessage('file', 'user', 'x'))
  const deep = join(inFile.directory, 'a', 'b')
  mkdirSync(deep, { recursive: true })
  // The path in the file is relative to the file, wherever the command is called.
  writeFileSync(join(inFile.directory, 'turnlog.config.json'), '{ "backend": "jsonl", "path": "./store" }')
  const list = async (args: string[], env: Record<string, string>): Promise<string> =>
    (await runCommand(['list', '-k', ...args], { cwd: deep, env })).stdout
  expect(await list([], {})).toBe('file\n')
  expect(await list([], inVariable.env)).toBe('variable\n')
  expect(await list(['--store', inOption.env.TURNLOG_STORE], inVariable.env)).toBe('option\n')
})

test('a module or a JSON file can say what the store is', async () => {
  const { directory } = await sampleStore('jsonl')
  writeFileSync(join(directory, 'store.mjs'), `export default { backend: 'jsonl', path: './store' }`)
  writeFileSync(join(directory, 'other.json'), `"jsonl:./store"`)
  for (const store of ['./store.mjs', 'other.json']) {
    const { stdout, stderr } = await runCommand(['list', '-k', '--store', store], { cwd: directory })
    expect(stdout, stderr).toBe('guest:7\ntrip:1\n')
  }
})

test.each([
  ['nothing is chosen', [], 2, /No store is chosen\. Give --store .* TURNLOG_STORE.* turnlog\.config\.json/],
  ['--store is empty', ['--store', ''], 2, /--store is empty/],
  ['the directory is not there', ['--store', 'jsonl:./none'], 1, /There is no store in .*none: there is no such dir/],
  ['the directory is empty', ['--store', 'leveldb:./empty'], 1, /the directory is empty/],
  ['the directory holds something else', ['--store', 'leveldb:.'], 1, /it holds other files/],
  ['the store is in memory', ['--store', 'memory:'], 2, /holds nothing that the command could read\. Use a directory/],
  ['the backend is unknown', ['--store', 'leveldv:./empty'], 2, /leveldv/],
  ['an option is unknown', ['--store', 'jsonl:./empty?sync=1'], 1, /the directory is empty/],
  ['options have no backend', ['--store', './empty?durability=os'], 2, /options need a backend in front/],
  ['the module is not there', ['--store', './none.mjs'], 2, /names the module .*none\.mjs, which is not there/],
  ['the module fails', ['--store', './throws.mjs'], 2, /Cannot import .*throws\.mjs: broken on purpose/],
  ['the module says nothing', ['--store', './nothing.mjs'], 2, /as its default export/],
  ['the file is not JSON', ['--store', './bad.json'], 2, /Cannot use .*bad\.json: it is not JSON/],
])('says what is wrong if %s', async (_name, args, code, message) => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'empty'))
  writeFileSync(join(directory, 'throws.mjs'), `throw new Error('broken on purpose')`)
  writeFileSync(join(directory, 'nothing.mjs'), '')
  writeFileSync(join(directory, 'bad.json'), '{')
  const result = await runCommand(['list', ...args], { cwd: directory })
  expect(result).toMatchObject({ code, stdout: '' })
  expect(result.stderr).toMatch(message)
})

test.each(['leveldb', 'jsonl'])(
  'a %s store is made on a fresh volume, which holds only lost+found',
  async (backend) => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'lost+found'))
    const store = ['--store', `${backend}:${directory}`]
    const refused = await runCommand(['add', 's', 'Hello', ...store])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Give --create to make one.') })
    expect(await runCommand(['add', 's', 'Hello', '--create', ...store])).toMatchObject({ code: 0, stderr: '' })
    expect(await runCommand(['verify', ...store])).toMatchObject({ code: 0 })
    expect(readdirSync(directory)).toContain('lost+found')
  },
)

test('where no store can be made it says why and what to do', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'notes.txt')
  writeFileSync(file, '')
  for (const [path, message] of [
    [file, /it is a file \(chosen by .*\)\. A store is a directory: give another path\./],
    [directory, /it holds other files \(chosen by .*\)\. .* give one that is empty or not there yet\./],
  ] as const) {
    const result = await runCommand(['add', 's', 'Hello', '--create', '--store', `jsonl:${path}`])
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(message) })
  }
  expect(readdirSync(directory)).toEqual(['notes.txt'])
})

test('a store of the other kind is named, with what to write instead', async () => {
  const { directory } = await sampleStore('jsonl')
  const { code, stderr } = await runCommand(['list', '--store', './store'], { cwd: directory })
  expect(code).toBe(2)
  expect(stderr).toContain(`holds a store of the kind jsonl, not leveldb. Use jsonl:${directory}`)
})

test('wrong arguments end with 2, help and version with 0, and help tells the exit codes', async () => {
  expect(await runCommand(['lits'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean list?') })
  expect(await runCommand(['list', '-n', 'many'])).toMatchObject({ code: 2 })
  expect(await runCommand(['--version'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  const help = await runCommand(['--help'])
  expect(help.code).toBe(0)
  expect(help.stdout).toContain('3  the store is in use by another process')
})

test('with --json wrong usage is told as JSON as well', async () => {
  for (const [args, message] of [
    [['lits', '--json'], /unknown command 'lits'[^]*Did you mean list/],
    [['--json', 'list', '-n', 'many'], /many/],
    [['fork', 'a', '--json'], /missing required argument 'to'/],
    [['--json'], /No command was given/],
  ] as const) {
    const { code, stdout, stderr } = await runCommand(args)
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr), args.join(' ')).toEqual({
      error: { code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) },
    })
  }
})

test('a command is known by its other name also where an argument is the name of another command', async () => {
  const { env } = await sampleStore('jsonl', (store) => store.addMessage('log', 'user', 'x'))
  expect(await runCommand(['ls', 'log', '-k'], { env })).toMatchObject({ code: 0, stdout: 'log\n' })
})

test('every command has help with an example and what --json gives', async () => {
  const { stdout } = await runHere(['--help'])
  const names = [...stdout.matchAll(/^ {2}([a-z]+)[| ]/gm)].map(([, name]) => name as string)
  const commands = names.filter((name) => !['help', 'conformance', 'turnlog'].includes(name))
  expect(commands.length).toBeGreaterThanOrEqual(17)
  for (const name of new Set(commands)) {
    const help = await runHere([name, '--help'])
    expect(help.code, name).toBe(0)
    expect(help.stdout, name).toMatch(/Examples?:\n {2}(?:\S+ )*turnlog /)
    expect(help.stdout, name).toContain('--json')
    expect(help.stdout, name).toMatch(/[wW]ith --json: one/i)
  }
})

test('a command does not do what the agent has in its configuration to do by itself', async () => {
  const { directory } = await sampleStore('jsonl')
  const legacy = join(directory, 'old')
  mkdirSync(legacy)
  const times = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' }
  writeFileSync(
    join(legacy, 'o.json'),
    JSON.stringify({ key: 'o', messages: [{ role: 'user', content: 'x' }], ...times }),
  )
  const config = {
    backend: 'jsonl',
    path: './store',
    migrateFrom: './old',
    expire: { idleForMs: 0, tracesForMs: 0 },
    retention: { removedEventsForMs: 0 },
    autoCompact: { deadRatio: 0, minBytes: 0 },
    sweep: { intervalMs: 1, jitter: 0 },
  }
  writeFileSync(join(directory, 'turnlog.config.json'), JSON.stringify(config))
  const run = (...args: string[]): Promise<Finished> => runCommand(args, { cwd: directory })
  expect(await run('list', '-k')).toMatchObject({ code: 0, stdout: 'guest:7\ntrip:1\n', stderr: '' })
  expect(await run('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('opens for reading') })
  expect(await run('add', 'guest:7', 'hi')).toMatchObject({ code: 0, stderr: '' })
  expect(await run('verify')).toMatchObject({ code: 0 })
  expect(readdirSync(legacy)).toEqual(['o.json'])
  expect(await run('list', '-k')).toMatchObject({ code: 0, stdout: 'guest:7\ntrip:1\n' })
  writeFileSync(join(directory, 'turnlog.config.json'), JSON.stringify({ ...config, expire: { idleFor: 1 } }))
  expect(await run('doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining('expire.idleFor') })
})

test('a command neither summarises in place of the agent nor cuts because it does not', async () => {
  const { directory, env } = await sampleStore('jsonl', (store) => store.addMessage('s', 'user', 'one'))
  writeFileSync(
    join(directory, 'agent.mjs'),
    `export default {
      backend: 'jsonl',
      path: './store',
      limits: { maxMessages: 2, hardMaxMessages: 4, maxMessageBytes: 500, prefixes: { s: { maxMessages: 1 } } },
      onOverflow: async () => { process.stderr.write('summarised'); return 'summary' },
    }`,
  )
  const add = (text: string): Promise<Finished> =>
    runCommand(['add', 's', text, '--store', './agent.mjs'], { cwd: directory })
  for (const text of ['two', 'three', 'four', 'five', 'six']) {
    expect(await add(text), text).toMatchObject({ code: 0, stderr: '' })
  }
  expect(await add('x'.repeat(600))).toMatchObject({ code: 2, stderr: expect.stringContaining('TOO_LARGE') })
  const { stdout } = await runCommand(['list', '--json'], { env })
  expect(JSON.parse(stdout)).toMatchObject({ key: 's', messages: 6, version: 6 })
})
