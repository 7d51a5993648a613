import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noTerminal, runCommand, startCommand, startInTerminal } from './run-command.ts'
import { sampleStore, temporaryDirectory } from './sample-store.ts'
import { slowStore } from './slow-store.ts'

// Whatever ends a command, no copy of a conversation stays behind: reading LevelDB puts one into the temporary directory.

const ENDS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const

test.each(ENDS)('%s in a copy closes both stores and says that it was interrupted', async (signal, code) => {
  const { directory, env } = await sampleStore('leveldb')
  const temporary = join(directory, 'tmp')
  mkdirSync(temporary)
  const copy = startCommand(['copy', slowStore(directory)], { env: { ...env, TMPDIR: temporary } })
  await copy.until(/waiting/)
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^turnlog-shadow-/)])
  copy.child.kill(signal)
  const finished = await copy.finished
  expect({ code: finished.code, left: readdirSync(temporary) }).toEqual({ code, left: [] })
  // After a hang-up nobody is there to read it.
  const told = signal === 'SIGHUP' ? '' : 'Interrupted. What was done stays; run it again.\n'
  expect(finished.stderr.replaceAll('waiting\n', '')).toBe(told)
})

test.each(ENDS.slice(1))('%s ends a tail too, and its exit code says so', async (signal, code) => {
  const { env } = await sampleStore('jsonl')
  const tail = startCommand(['tail', 'trip:1'], { env })
  await tail.until(/Following/)
  tail.child.kill(signal)
  expect((await tail.finished).code).toBe(code)
})

test('an export that is interrupted leaves no part of its file', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'backup.jsonl')
  const exporting = startCommand(['export', '-o', file, '--store', slowStore(directory)])
  await exporting.until(/waiting/)
  await expect.poll(() => readdirSync(directory)).toContainEqual(expect.stringMatching(/^backup.*\.part$/))
  exporting.child.kill('SIGINT')
  expect(await exporting.finished).toMatchObject({ code: 130, stderr: expect.stringContaining('Interrupted.') })
  expect(readdirSync(directory)).toEqual(['slow.mjs'])
})

test('a listing of LevelDB into a pipe that closes is no error and leaves nothing behind', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const temporary = join(directory, 'tmp')
  mkdirSync(temporary)
  const list = startCommand(['list'], { env: { ...env, TMPDIR: temporary } })
  list.child.stdout?.destroy()
  expect(await list.finished).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(temporary)).toEqual([])
})

test('a repair that is interrupted is told to stop, and waited for while it removes what it has made', async () => {
  const directory = temporaryDirectory()
  const copy = join(directory, 'copy')
  const file = join(directory, 'repairing.mjs')
  const memory = new URL('../../core/dist/memory/index.js', import.meta.url).href
  writeFileSync(
    file,
    `import { memoryBackend } from '${memory}'
import { rmSync, writeFileSync } from 'node:fs'
const repair = ({ signal }) => new Promise((resolve, reject) => {
  writeFileSync('${copy}', 'what was said')
  const alive = setInterval(() => undefined, 1000)
  signal.addEventListener('abort', () => setTimeout(() => {
    rmSync('${copy}')
    clearInterval(alive)
    reject(signal.reason)
  }, 50))
  process.stderr.write('waiting\\n')
})
export default Object.assign(memoryBackend(), { maintenance: { repair } })
`,
  )
  const repair = startCommand(['repair', '--dry-run', '--store', file])
  await repair.until(/waiting/)
  repair.child.kill('SIGINT')
  expect({ code: (await repair.finished).code, left: existsSync(copy) }).toEqual({ code: 130, left: false })
})

test('an error of the file system is told with what the system said', async () => {
  const file = join(temporaryDirectory(), 'refusing.mjs')
  const core = new URL('../../core/dist/index.js', import.meta.url).href
  writeFileSync(
    file,
    `import { memoryBackend } from '${new URL('../../core/dist/memory/index.js', import.meta.url).href}'
import { StoreError } from '${core}'
const cause = Object.assign(new Error("EACCES: permission denied, open '/store/LOCK'"), { code: 'EACCES' })
export default Object.assign(memoryBackend(), {
  open: async () => { throw new StoreError('IO', 'Cannot open the store. See the cause.', { cause }) },
})
`,
  )
  const { code, stderr } = await startCommand(['list', '--store', file]).finished
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('permission denied') })
})

test('a second Ctrl-C ends a command that cannot be ended in order', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'stuck.mjs')
  const memory = new URL('../../core/dist/memory/index.js', import.meta.url).href
  writeFileSync(
    file,
    `import { memoryBackend } from '${memory}'
const backend = memoryBackend()
backend.close = () => { process.stderr.write('closing'); return new Promise((done) => setTimeout(done, 60_000)) }
backend.list = async function* () { process.stderr.write('listing'); await new Promise((done) => setTimeout(done, 60_000)) }
export default backend
`,
  )
  const list = startCommand(['list', '--store', file])
  await list.until(/listing/)
  list.child.kill('SIGINT')
  await list.until(/closing/)
  list.child.kill('SIGINT')
  expect(await list.finished).toMatchObject({ code: 130 })
})

test.skipIf(noTerminal !== undefined)(
  `Ctrl-C at a question is an interruption, not a no ${noTerminal ?? ''}`,
  async () => {
    const { env } = await sampleStore('jsonl')
    for (const args of [
      ['rm', 'trip:1'],
      ['compact', '--all'],
      ['expire', '--idle-for', '1h'],
    ]) {
      const asking = startInTerminal(args, { env })
      await asking.until(/\[y\/N\] /)
      asking.child.stdin?.write('\u0003')
      const { code, stdout } = await asking.finished
      expect({ code, stdout }, args[0]).toEqual({ code: 130, stdout: expect.stringContaining('Interrupted.') })
    }
    expect(await runCommand(['list', '-k'], { env })).toMatchObject({ code: 0, stdout: 'guest:7\ntrip:1\n' })
  },
)
