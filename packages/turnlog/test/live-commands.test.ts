import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openLivenessSocket } from '@turnlog/storage-kit'
import { openStore } from 'turnlog'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noTerminal, runCommand, startCommand, startInTerminal } from './run-command.ts'
import { sampleStore, temporaryDirectory } from './sample-store.ts'

test('a LevelDB store in use is refused with who holds it, since when, and what to do', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const store = await openStore({ backend: 'leveldb', path: join(directory, 'store') })
  try {
    for (const args of [['list'], ['add', 'trip:1', 'x'], ['verify']]) {
      const { code, stdout, stderr } = await runCommand(args, { env })
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 3, stdout: '' })
      expect(stderr).toMatch(new RegExp(`in use by process ${process.pid} on \\S+ since \\d{4}-\\d\\d-\\d\\dT`))
      expect(stderr).toContain('Stop that process, let it export (exportSessions), or take a snapshot of the directory')
    }
    const doctor = await runCommand(['doctor'], { env })
    expect(doctor.code).toBe(0)
    expect(doctor.stdout).toMatch(new RegExp(`lock +in use by process ${process.pid} on \\S+ since`))
  } finally {
    await store.close()
  }
  expect(await runCommand(['list', '-k'], { env })).toMatchObject({ code: 0, stdout: 'guest:7\ntrip:1\n' })
})

test('a JSONL store can be read while it is in use, and is refused for writing', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const store = await openStore({ backend: 'jsonl', path: join(directory, 'store'), durability: 'os' })
  try {
    await store.addMessage('trip:1', 'user', 'while in use')
    const shown = await runCommand(['show', 'trip:1'], { env })
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('while in use') })
    const refused = await runCommand(['truncate', 'trip:1', '--keep', '1'], { env })
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(`process ${process.pid}`) })
    expect(refused.stderr).toContain('Commands that read need no lock and work meanwhile')
    expect(refused.stderr).not.toContain('LevelDB')
  } finally {
    await store.close()
  }
})

test('tail of a LevelDB store shows the last events, says that there is nothing to follow, and ends', async () => {
  const { env } = await sampleStore('leveldb')
  const { code, stdout, stderr } = await runCommand(['tail', 'trip:1', '-n', '1'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('store.watch()') })
  expect(stdout).toMatch(/^ +8 .* MetadataSet/)
})

test('tail follows another process and ends with 0 on SIGINT', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const store = await openStore({ backend: 'jsonl', path: join(directory, 'store'), durability: 'os' })
  try {
    const tail = startCommand(['tail', 'trip:1', '-n', '1'], { env })
    await tail.until(/Following trip:1/)
    await store.addMessage('trip:1', 'user', 'first live')
    await tail.until(/first live/)
    await store.truncateHistory('trip:1', 1)
    await tail.until(/the view has 1 message/)
    tail.child.kill('SIGINT')
    const { code, stdout } = await tail.finished
    expect(code).toBe(0)
    expect(stdout.split('\n')[0]).toMatch(/ 8 .* MetadataSet/)
    expect(stdout).toMatch(/ 9 .* MessageAdded +user {2}first live\n +10 .* Truncated/)
  } finally {
    await store.close()
  }
})

test.skipIf(noTerminal !== undefined)(`tail ends with Ctrl-C in a terminal ${noTerminal ?? ''}`, async () => {
  const { env } = await sampleStore('jsonl')
  const tail = startInTerminal(['tail', 'trip:1'], { env })
  await tail.until(/Following trip:1/)
  tail.child.stdin?.write('\u0003')
  expect(await tail.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('MetadataSet') })
})

test('a listing into a pipe that closes is no error', async () => {
  const { env } = await sampleStore('jsonl')
  const list = startCommand(['list'], { env })
  list.child.stdout?.destroy()
  expect(await list.finished).toMatchObject({ code: 0, stderr: '' })
})

test('of a LevelDB store whose log is damaged it advises only what works then', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const path = join(directory, 'store')
  const log = join(path, readdirSync(path).find((name) => name.endsWith('.log')) ?? '')
  const bytes = readFileSync(log)
  bytes[bytes.indexOf('train')] = 0
  writeFileSync(log, bytes)
  for (const args of [['show', 'guest:7'], ['verify'], ['export', '--skip-damaged', '-o', join(directory, 'b')]]) {
    const { code, stderr } = await runCommand(args, { env })
    expect({ code, stderr }, args.join(' ')).toEqual({ code: 4, stderr: expect.stringContaining('[CORRUPT]') })
    expect(stderr, args.join(' ')).toMatch(
      /\nNothing was changed\. Run turnlog repair --dry-run to see what can be done\.\n$/,
    )
  }
  const planned = await runCommand(['repair', '--dry-run'], { env })
  expect(planned).toMatchObject({ code: 1, stdout: expect.stringContaining('Repair would make ') })
})

describe('a damaged JSONL store', () => {
  async function damagedStore(): Promise<{ env: { TURNLOG_STORE: string }; path: string; file: string }> {
    const { directory, env } = await sampleStore('jsonl')
    const path = join(directory, 'store')
    const file = join(path, readdirSync(path).find((name) => name.startsWith('trip') && name.endsWith('.jsonl')) ?? '')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('The later one', 'The other one'))
    return { env, path, file }
  }

  test('verify names the place and ends with 1', async () => {
    const { env } = await damagedStore()
    const { code, stdout } = await runCommand(['verify'], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ .*trip.*\.jsonl:6/)
    expect(stdout).toContain('Nothing was changed')
  })

  test('of six sessions two are damaged: verify names both, and the others can be listed, copied and exported', async () => {
    const { directory, env } = await sampleStore('jsonl', async (store) => {
      for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
        await store.addMessages(
          key,
          ['one', 'two', 'three'].map((content) => ({ role: 'user', content })),
        )
      }
    })
    for (const key of ['b', 'd']) {
      const file = join(directory, 'store', `${key}.jsonl`)
      writeFileSync(file, readFileSync(file, 'utf8').replace('"two"', '"owt"'))
    }
    const verified = await runCommand(['verify'], { env })
    expect(verified.code).toBe(1)
    expect(verified.stdout.match(/✗ .*$/gm)).toEqual([
      expect.stringMatching(/session "b", event 2, .*b\.jsonl:3/),
      expect.stringMatching(/session "d", event 2, .*d\.jsonl:3/),
    ])
    expect(verified.stdout).toContain('2 problems in 6 sessions, 12 events.')
    const one = await runCommand(['verify', 'b', '--json'], { env })
    expect(one.code).toBe(1)
    expect(JSON.parse(one.stdout)).toMatchObject({ ok: false, sessions: 1, problems: [{ session: 'b', seq: 2 }] })
    expect(await runCommand(['verify', 'nobody'], { env })).toMatchObject({ code: 1, stdout: '' })

    for (const args of [
      ['-n', '3'],
      ['-n', '3', '--reverse'],
      ['--sort', 'size'],
    ]) {
      const { code, stdout, stderr } = await runCommand(['list', '-k', ...args], { env })
      expect({ code, stderr: stderr.includes('b.jsonl, line 3') }, args.join(' ')).toEqual({ code: 4, stderr: true })
      expect(stdout.split('\n').sort().join(' ').trim(), args.join(' ')).toMatch(/^(?:a c e|c e f|a c e f)$/)
    }
    expect(await runCommand(['list', '-k', '-n', '1'], { env })).toMatchObject({ code: 0, stdout: 'a\n' })

    const copied = await runCommand(['copy', `leveldb:${join(directory, 'copy')}`], { env })
    expect(copied.code).toBe(1)
    expect(copied.stdout).toMatch(/✗ "b": .*\n✗ "d": .*\n✗ Sessions: 4 copied, 2 failed\. 12 events written\./)

    const file = join(directory, 'rescued.jsonl')
    const refused = await runCommand(['export', '-o', file], { env })
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('turnlog export --skip-damaged') })
    expect(existsSync(file)).toBe(false)
    const rescued = await runCommand(['export', '--skip-damaged', '-o', file], { env })
    expect(rescued).toMatchObject({ code: 1, stdout: expect.stringContaining('2 damaged sessions left out.') })
    expect(rescued.stderr).toMatch(/✗ .*b\.jsonl.*\n✗ .*d\.jsonl/)
    const target = { TURNLOG_STORE: `jsonl:${join(directory, 'rescued')}` }
    const imported = await runCommand(['import', file, '--create'], { env: target })
    expect(imported).toMatchObject({ code: 0, stdout: '✓ Sessions: 4 copied. 12 events written.\n' })
  })

  test('show ends with 4 and says what to run', async () => {
    const { env } = await damagedStore()
    const { code, stderr } = await runCommand(['show', 'trip:1'], { env })
    expect(code).toBe(4)
    expect(stderr).toContain('Run turnlog verify')
  })

  test('repair only says what it would do unless it may', async () => {
    const { env, file } = await damagedStore()
    const before = readFileSync(file)
    const planned = await runCommand(['repair', '--dry-run'], { env })
    expect(planned).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/Repair would make \d+ changes?:\n {2}• /),
    })
    expect(await runCommand(['repair'], { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') })
    expect(readFileSync(file)).toEqual(before)
  })

  test('repair --yes makes it readable and keeps the original', async () => {
    const { env } = await damagedStore()
    const { code, stdout } = await runCommand(['repair', '--yes', '--json'], { env })
    expect(code).toBe(0)
    const report = JSON.parse(stdout) as { applied: boolean; backup: string }
    expect(report.applied).toBe(true)
    expect(existsSync(report.backup)).toBe(true)
    expect(await runCommand(['verify'], { env })).toMatchObject({ code: 0 })
    expect(await runCommand(['repair'], { env })).toMatchObject({ code: 0, stdout: '✓ There is nothing to repair.\n' })
  })

  test.skipIf(noTerminal !== undefined)(`repair asks in a terminal ${noTerminal ?? ''}`, async () => {
    const { env, file } = await damagedStore()
    const before = readFileSync(file)
    const declined = startInTerminal(['repair'], { env })
    await declined.until(/Repair now\? \[y\/N\]/)
    declined.child.stdin?.write('n\n')
    expect(await declined.finished).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing was changed.') })
    expect(readFileSync(file)).toEqual(before)
    const agreed = startInTerminal(['repair'], { env })
    await agreed.until(/Repair now\? \[y\/N\]/)
    agreed.child.stdin?.write('y\n')
    expect(await agreed.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('Repaired') })
    expect(await runCommand(['verify'], { env })).toMatchObject({ code: 0 })
  })
})

test('a damaged LevelDB store ends with 4, and repair makes it readable and keeps the original', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const path = join(directory, 'store')
  // Opened once more, so that LevelDB has moved what was in its log into a table.
  await runCommand(['add', 'guest:7', 'x'], { env })
  const table = join(path, readdirSync(path).find((name) => name.endsWith('.ldb')) ?? '')
  const bytes = readFileSync(table)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 0x40
  writeFileSync(table, bytes)
  for (const args of [['list'], ['verify'], ['add', 'trip:1', 'x']]) {
    expect(await runCommand(args, { env }), args[0]).toMatchObject({ code: 4, stdout: '' })
  }
  expect(readFileSync(table)).toEqual(bytes)
  const { code, stdout } = await runCommand(['repair', '--yes', '--json'], { env })
  expect(code).toBe(0)
  const { applied, backup } = JSON.parse(stdout) as { applied: boolean; backup: string }
  expect([applied, existsSync(backup)]).toEqual([true, true])
  expect(await runCommand(['list'], { env })).toMatchObject({ code: 0 })
})

test('a LevelDB store that lost its anchor is made usable by repair, which says so', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const anchor = join(directory, 'store', 'turnlog.anchor')
  rmSync(anchor)
  expect(await runCommand(['verify'], { env })).toMatchObject({ code: 4 })
  const planned = await runCommand(['repair', '--dry-run'], { env })
  expect(planned).toMatchObject({ code: 1, stdout: expect.stringContaining(anchor) })
  expect(await runCommand(['repair', '--yes'], { env })).toMatchObject({ code: 0 })
  expect(await runCommand(['verify'], { env })).toMatchObject({ code: 0 })
  expect(await runCommand(['repair'], { env })).toMatchObject({ code: 0, stdout: '✓ There is nothing to repair.\n' })
})

test.skipIf(noTerminal !== undefined)(
  `rm asks in a terminal, and colours are used there ${noTerminal ?? ''}`,
  async () => {
    const { env } = await sampleStore('jsonl')
    const declined = startInTerminal(['rm', 'guest:7'], { env })
    await declined.until(/Delete guest:7 permanently\? \[y\/N\]/)
    declined.child.stdin?.write('n\n')
    expect(await declined.finished).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing was changed.') })
    const rm = startInTerminal(['rm', 'guest:7'], { env })
    await rm.until(/Delete guest:7 permanently\? \[y\/N\]/)
    rm.child.stdin?.write('yes\n')
    expect(await rm.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('Deleted 1 session.') })
    const painted = await startInTerminal(['list'], { env }).finished
    expect(painted.stdout).toContain('\u001b[2m')
    expect(painted.stdout).toContain('1 session')
    const plain = await startInTerminal(['list'], { env: { ...env, NO_COLOR: '1' } }).finished
    expect(plain.stdout).not.toContain('\u001b[')
  },
)

test.skipIf(noTerminal !== undefined)(
  `compact asks in a terminal, for one session and for all, and no is no ${noTerminal ?? ''}`,
  async () => {
    const { env } = await sampleStore('jsonl')
    const declined = startInTerminal(['compact', 'trip:1'], { env })
    await declined.until(/Compact trip:1\? What was cut cannot be restored afterwards\. \[y\/N\]/)
    declined.child.stdin?.write('\n')
    expect(await declined.finished).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing was changed.') })
    const agreed = startInTerminal(['compact', '--all'], { env })
    await agreed.until(/Compact 2 sessions\? .* \[y\/N\]/)
    agreed.child.stdin?.write('y\n')
    // That there was something to remove shows that the refusal before had left it there.
    expect(await agreed.finished).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Removed \d+ events, .* freed/),
    })
    const { stdout } = await runCommand(['log', 'trip:1'], { env })
    expect(stdout).toMatch(/Compacted +\d+ events removed permanently/)
  },
)

test.skipIf(noTerminal !== undefined)(
  `expire asks in a terminal, and the end of the input is a no ${noTerminal ?? ''}`,
  async () => {
    const { env } = await sampleStore('jsonl')
    const args = ['expire', '--idle-for', '1d', '--prefix', 'guest:']
    const declined = startInTerminal(args, { env })
    await declined.until(/Delete 1 session permanently\? \[y\/N\]/)
    declined.child.stdin?.write('\u0004')
    expect(await declined.finished).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing was changed.') })
    const agreed = startInTerminal(args, { env })
    await agreed.until(/Delete 1 session permanently\? \[y\/N\]/)
    agreed.child.stdin?.write('YES\n')
    expect(await agreed.finished).toMatchObject({ code: 0, stdout: expect.stringContaining('Deleted 1 session.') })
    const { stdout } = await runCommand(['log', 'guest:7'], { env })
    expect(stdout).toMatch(/^ +2 {2}.* SessionDeleted +1 message, 1 event deleted: expired\n$/)
  },
)

test.skipIf(noTerminal !== undefined)(
  `compact asks about a key without letting it act on the terminal ${noTerminal ?? ''}`,
  async () => {
    const { env } = await sampleStore('jsonl', (store) => store.addMessage('a\u202eb', 'user', 'x'))
    const asked = startInTerminal(['compact', 'a\u202eb'], { env })
    await asked.until(/Compact .*\[y\/N\]/)
    asked.child.stdin?.write('n\n')
    const { stdout } = await asked.finished
    expect(stdout).toContain('Compact a\\u202eb?')
    expect(stdout).not.toContain('\u202e')
  },
)

test.skipIf(noTerminal !== undefined)(
  `expire --dry-run names the sessions, on a terminal the first of them ${noTerminal ?? ''}`,
  async () => {
    const keys = Array.from({ length: 25 }, (_, i) => `\u202eguest:${i + 10}`)
    const { env } = await sampleStore('jsonl', async (store) => {
      for (const key of keys) await store.addMessage(key, 'user', 'x')
    })
    const args = ['expire', '--idle-for', '1d', '--dry-run']
    const shown = await startInTerminal(args, { env }).finished
    expect(shown.stdout.match(/\\u202eguest:\d+/g)).toHaveLength(20)
    expect(shown.stdout).toContain('and 5 more')
    const { stdout } = await runCommand(args, { env })
    const lines = keys.map((key) => `  ${key.replace('\u202e', '\\u202e')}\n`)
    expect(stdout).toBe(`${lines.join('')}✓ 25 sessions would be deleted.\n`)
  },
)

test('doctor checks the environment also where no store is chosen', async () => {
  const { code, stdout } = await runCommand(['doctor', '--json'], { cwd: temporaryDirectory() })
  expect(code).toBe(0)
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] }
  expect(checks.map(({ name, status }) => `${name}: ${status}`)).toEqual([
    'turnlog: ok',
    'node: ok',
    expect.stringMatching(/^platform: /),
    'backend leveldb: ok',
    'backend jsonl: ok',
    'store: notice',
  ])
})

test('doctor ends with 1 when the store that is chosen cannot be used', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const broken = join(directory, 'broken')
  mkdirSync(broken)
  writeFileSync(join(broken, 'turnlog.config.json'), '{')
  const cases: [string[], string, RegExp][] = [
    [[], broken, /it is not JSON/],
    [['--store', './missing.js'], directory, /which is not there/],
    [['--store', `${env.TURNLOG_STORE}?durability=banana`], directory, /banana/],
    [['--store', 'jsonl:./none'], directory, /there is no such directory/],
  ]
  for (const [args, cwd, message] of cases) {
    const { code, stdout } = await runCommand(['doctor', ...args], { cwd })
    expect({ code, problem: /^✗ .*$/m.exec(stdout)?.[0] }, args.join(' ')).toEqual({
      code: 1,
      problem: expect.stringMatching(message),
    })
  }
})

test('doctor tells a lock that was left behind or cannot be read, and permissions that are too wide', async () => {
  const { directory, env } = await sampleStore('jsonl')
  const path = join(directory, 'store')
  const lock = readdirSync(path).find((name) => /^turnlog\.lock\.\d+$/.test(name)) ?? ''
  const record = JSON.parse(readFileSync(join(path, lock), 'utf8')) as object
  writeFileSync(join(path, lock), JSON.stringify({ ...record, released: false, pid: 2 ** 30 }))
  const { code, stdout } = await runCommand(['doctor'], { env })
  expect(code).toBe(0)
  expect(stdout).toMatch(/lock +left behind by process 1073741824 /)
  appendFileSync(join(path, lock), 'not JSON')
  chmodSync(path, 0o755)
  const unclear = await runCommand(['doctor'], { env })
  expect(unclear.stdout).toMatch(/! lock +it cannot be read/)
  expect(unclear.stdout).toMatch(/! permissions +\d+ paths? accessible to other users\. .*chmod -R go-rwx/)
})

/** What the lock of a LevelDB or JSONL store says while the store is open. */
async function lockOf(backend: 'leveldb' | 'jsonl', path: string): Promise<{ file: string; record: object }> {
  const store = await openStore({ backend, path })
  const name = readdirSync(path).find((file) => /^turnlog\.lock(\.\d+)?$/.test(file)) ?? ''
  const record = JSON.parse(readFileSync(join(path, name), 'utf8')) as object
  await store.close()
  return { file: join(path, name), record }
}

test.runIf(process.platform === 'linux').each(['leveldb', 'jsonl'] as const)(
  'doctor probes the liveness socket of an owner in another container (%s)',
  async (backend) => {
    const { directory, env } = await sampleStore(backend)
    const path = join(directory, 'store')
    const { file, record } = await lockOf(backend, path)
    const socket = await openLivenessSocket(join(path, 'turnlog.lock.alive-00'))
    const other = { pidNamespace: 'pid:[1]', claim: '00', fileSystem: socket?.fileSystem }
    writeFileSync(file, JSON.stringify({ ...record, ...other, host: 'container', pid: 7 }))
    const who = 'process 7 on container since'
    expect((await runCommand(['doctor'], { env })).stdout).toMatch(new RegExp(`lock +in use by ${who}`))
    socket?.close(true)
    expect((await runCommand(['doctor'], { env })).stdout).toMatch(new RegExp(`lock +left behind by ${who}`))
    rmSync(join(path, 'turnlog.lock.alive-00'))
    const { stdout } = await runCommand(['doctor'], { env })
    expect(stdout).toMatch(new RegExp(`! lock +${who} .* cannot be seen from here.*delete ${file}`))
  },
)

/** Otherwise the lock of a LevelDB store names the file that it was written in, and any other one is a copy. */
const OF_ANY_FILE = { device: undefined, inode: undefined }

/** A process that was killed, and that its parent has not asked about: a zombie. */
async function zombie(): Promise<{ readonly pid: number; readonly start: string }> {
  // The shell starts one process and becomes another one, which asks about no child.
  const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [said] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  const stat = (): string => readFileSync(`/proc/${pid}/stat`, 'latin1')
  const start = stat().split(' ')[21] ?? ''
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n')
  process.kill(pid, 'SIGKILL')
  await expect.poll(stat).toContain(') Z ')
  return { pid, start }
}

describe.runIf(process.platform === 'linux').each(['leveldb', 'jsonl'] as const)('doctor on a %s store', (backend) => {
  test.each([
    ['is a zombie', zombie],
    ['ended, and another process has its pid', () => ({ pid: process.ppid, start: '1' })],
  ])('says that its lock is stale if its owner %s, as the next writer does', async (_which, owner) => {
    const { directory, env } = await sampleStore(backend)
    const path = join(directory, 'store')
    const { file, record } = await lockOf(backend, path)
    const { pid, start } = await owner()
    writeFileSync(file, JSON.stringify({ ...record, ...OF_ANY_FILE, pid, start, released: false }))
    expect((await runCommand(['doctor'], { env })).stdout).toMatch(new RegExp(`lock +left behind by process ${pid} `))
    const warnings: string[] = []
    const store = await openStore({ backend, path, onWarning: ({ code }) => void warnings.push(code) })
    await store.close()
    expect(warnings).toContain('STALE_LOCK')
  })
})

test('doctor tells who has just taken over the lock of a LevelDB store', async () => {
  const { directory, env } = await sampleStore('leveldb')
  const { file, record: own } = await lockOf('leveldb', join(directory, 'store'))
  const record = { ...own, ...OF_ANY_FILE }
  writeFileSync(file, JSON.stringify({ ...record, pid: 2 ** 30, claim: '0123456789abcdef' }))
  expect((await runCommand(['doctor'], { env })).stdout).toMatch(/lock +left behind by process 1073741824 /)
  writeFileSync(`${file}.0123456789abcdef`, JSON.stringify(record))
  expect((await runCommand(['doctor'], { env })).stdout).toMatch(new RegExp(`lock +in use by process ${process.pid} `))
})
