import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { requireExport } from '../src/commands/require-export.ts'
import { noTerminal, runCommand, startInTerminal } from './run-command.ts'
import { sampleStore, temporaryDirectory } from './sample-store.ts'

test('export and import bring every event to another backend, with the same ids and times', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const file = join(directory, 'backup.jsonl')
  const exported = await runCommand(['export', '-o', file], { env })
  expect(exported).toMatchObject({ code: 0, stdout: `✓ Exported 2 sessions, 9 events to ${file}.\n` })
  const target = { TURNLOG_STORE: `jsonl:${join(directory, 'other')}` }
  expect(await runCommand(['import', file], { env: target })).toMatchObject({ code: 1 })
  const imported = await runCommand(['import', file, '--create', '--json'], { env: target })
  expect(JSON.parse(imported.stdout)).toMatchObject({ ok: true, counts: { copied: 2 }, events: 9, problems: [] })
  const log = async (of: Record<string, string>): Promise<string> =>
    (await runCommand(['log', 'trip:1', '--json'], { env: of })).stdout
  expect(await log(target)).toBe(await log(env))
  const again = await runCommand(['import', file], { env: target })
  expect(again.stdout).toBe('✓ Sessions: 2 already there. 0 events written.\n')
})

test('an export goes through a pipe, and a redacted one shows no text', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const piped = await runCommand(['export', 'trip:1', '--redact'], { env })
  expect(piped.code).toBe(0)
  expect(piped.stdout).not.toContain('Rome')
  const plain = await runCommand(['export', '--prefix', 'guest:'], { env })
  const target = { TURNLOG_STORE: `leveldb:${join(directory, 'other')}` }
  const imported = await runCommand(['import', '--create'], { env: target, input: plain.stdout })
  expect(imported).toMatchObject({ code: 0, stdout: '✓ Sessions: 1 copied. 1 event written.\n' })
  expect(await runCommand(['export', 'nobody'], { env })).toMatchObject({ code: 1 })
})

test('an export of a prefix that no session has is refused and leaves an earlier one as it is', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const file = join(directory, 'backup.jsonl')
  writeFileSync(file, 'earlier')
  for (const args of [['-o', file], []]) {
    const { code, stdout, stderr } = await runCommand(['export', '--prefix', 'gast:', ...args], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('There is no session whose key begins with "gast:". [NOT_FOUND]')
  }
  expect(readFileSync(file, 'utf8')).toBe('earlier')
  expect(readdirSync(directory).toSorted()).toEqual(['backup.jsonl', 'store'])
  expect(await runCommand(['export', '--prefix', 'guest:', '-o', file], { env })).toMatchObject({ code: 0 })
})

test('a damaged or unreadable export is refused with its line', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const { stdout } = await runCommand(['export'], { env })
  const target = { TURNLOG_STORE: `jsonl:${join(directory, 'other')}` }
  const cut = await runCommand(['import', '--create'], { env: target, input: stdout.slice(0, -40) })
  // The store is as it was, so that nobody is sent to repair it.
  expect(cut.code).toBe(1)
  expect(cut.stderr).toMatch(
    /^error Cannot import line \d+: .* get a whole export and import it again\. \[CORRUPT\]\n$/,
  )
  const folder = await runCommand(['import', directory], { env })
  expect(folder).toMatchObject({ code: 5, stderr: expect.stringContaining(`Cannot read ${directory}: EISDIR`) })
  expect(folder.stderr).toContain('[IO]')
  expect(await runCommand(['import', 'none.jsonl'], { env })).toMatchObject({ code: 1 })
  const whole = join(directory, 'whole.jsonl')
  writeFileSync(whole, 'earlier')
  expect(await runCommand(['export', 'nobody', '-o', whole], { env })).toMatchObject({ code: 1 })
  expect(readFileSync(whole, 'utf8')).toBe('earlier')
  expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([])
})

test.each([
  ['messages', '{"role":"user","content":"private"}\n', 'looks like a file of messages'],
  ['a legacy session', '{\n  "key": "private"\n}', 'looks like other JSON'],
  ['text', 'private\n', 'looks like other text'],
  ['an SQLite database', 'SQLite format 3\0\u0010\0', 'looks like an SQLite database'],
  ['another binary file', '\u0089PNG\0\u0001', 'looks like a binary file'],
  ['nothing', '', 'is empty'],
])('an import of %s says so, names the commands for other files, and makes no store', async (_what, content, look) => {
  const directory = temporaryDirectory()
  const file = join(directory, 'foreign')
  writeFileSync(file, content)
  const env = { TURNLOG_STORE: `jsonl:${join(directory, 'store')}` }
  const named = await runCommand(['import', file, '--create'], { env })
  expect(named).toMatchObject({ code: 2, stdout: '' })
  expect(named.stderr).toContain(`error ${file} is not a Turnlog export: it ${look}. `)
  expect(named.stderr).toMatch(/turnlog add KEY --stdin.* turnlog migrate\. \[INVALID_ARGUMENT\]\n$/)
  expect(named.stderr).not.toContain('private')
  const piped = await runCommand(['import', '--create'], { env, input: content })
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('The input is not a Turnlog export') })
  expect(readdirSync(directory)).toEqual(['foreign'])
})

test('an export is known by its first line also if it comes in small pieces', async () => {
  const { env } = await sampleStore('jsonl')
  const { stdout } = await runCommand(['export'], { env })
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const byte of Buffer.from(stdout)) yield await Promise.resolve(Uint8Array.of(byte))
  }
  expect(await text(await requireExport(pieces(), 'pieces'))).toBe(stdout)
})

test.skipIf(noTerminal !== undefined)(`an export never goes to a terminal ${noTerminal ?? ''}`, async () => {
  const { env } = await sampleStore('jsonl')
  const { code, stdout } = await startInTerminal(['export'], { env }).finished
  expect(code).toBe(2)
  expect(stdout).toContain('Give --output')
  expect(stdout).not.toContain('Rome')
})

test('copy makes the same store on another backend, and again does nothing', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const to = `jsonl:${join(directory, 'copy')}`
  const first = await runCommand(['copy', to], { env })
  expect(first).toMatchObject({ code: 0, stdout: '✓ Sessions: 2 copied. 9 events written.\n' })
  const second = await runCommand(['copy', to, '--json'], { env })
  expect(JSON.parse(second.stdout)).toMatchObject({ ok: true, counts: { 'already-there': 2 }, events: 0 })
  expect(await runCommand(['verify'], { env: { TURNLOG_STORE: to } })).toMatchObject({ code: 0 })
})

test('migrate brings in a legacy directory, says first what it would do, and reports what it cannot read', async () => {
  const directory = temporaryDirectory()
  const legacy = join(directory, 'legacy')
  mkdirSync(legacy)
  const key = 'telegram:1'
  const messages = [{ role: 'user', content: 'Hello' }]
  const times = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' }
  writeFileSync(join(legacy, 'telegram_1.json'), JSON.stringify({ key, messages, summary: '', ...times }))
  writeFileSync(join(legacy, 'broken.json'), '{')
  const env = { TURNLOG_STORE: `leveldb:${join(directory, 'store')}` }
  const dry = await runCommand(['migrate', legacy, '--create', '--dry-run'], { env })
  expect(dry).toMatchObject({ code: 1, stdout: expect.stringContaining('This was a dry run: nothing was changed.') })
  expect(dry.stdout).toMatch(/Files: 1 imported, 1 invalid\. 1 message\./)
  expect(existsSync(join(legacy, 'telegram_1.json'))).toBe(true)
  expect(existsSync(join(directory, 'store'))).toBe(false)
  const missing = await runCommand(['migrate', legacy], { env })
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('Give --create to make one.') })
  writeFileSync(join(directory, 'in-vain.json'), '{')
  const inVain = await runCommand(['migrate', directory, '--create'], { env })
  expect(inVain).toMatchObject({ code: 1, stdout: expect.stringContaining('No store was made.') })
  expect(existsSync(join(directory, 'store'))).toBe(false)
  const { code, stdout } = await runCommand(['migrate', legacy, '--create'], { env })
  expect(code).toBe(1)
  expect(stdout).toMatch(/ {2}invalid +broken\.json: /)
  expect(stdout).toMatch(/Files: 1 imported, 1 invalid\. 1 message\./)
  expect((await runCommand(['list', '-k'], { env })).stdout).toBe(`${key}\n`)
  expect(await runCommand(['migrate', join(directory, 'none')], { env })).toMatchObject({ code: 1 })
  const before = snapshotOf(join(directory, 'store'))
  const again = await runCommand(['migrate', legacy, '--dry-run'], { env })
  expect(again.stdout).toMatch(/Files: 1 invalid\./)
  expect(snapshotOf(join(directory, 'store'))).toEqual(before)
})

function snapshotOf(directory: string): string[] {
  return readdirSync(directory).map((name) => `${name} ${readFileSync(join(directory, name)).toString('base64')}`)
}
