import { readFileSync } from 'node:fs'
import type { SessionStore } from 'turnlog'
import { describe, expect, test } from 'vitest'
import { runCommand } from './run-command.ts'
import { sampleStore } from './sample-store.ts'

const README = new URL('../../../README.md', import.meta.url)

describe.each(['leveldb', 'jsonl'] as const)('a %s store', (backend) => {
  test('list shows every session in the order of the keys, without colours in a pipe', async () => {
    const { env } = await sampleStore(backend)
    const { code, stdout, stderr } = await runCommand(['list'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [header, first, second, ...rest] = stdout.split('\n')
    expect(header).toMatch(/UPDATED +MESSAGES +VERSION +SIZE +KEY/)
    expect(first).toMatch(/^ +\d+[dy] +1 +1 +\d+ B {2}guest:7$/)
    expect(second).toMatch(/^ +\d+[dy] +1 +8 +[\d.]+ K?B {2}trip:1$/)
    expect(rest).toEqual([''])
  })

  test('show gives the conversation as the model sees it, and as it was', async () => {
    const { env } = await sampleStore(backend)
    const now = await runCommand(['show', 'trip:1'], { env })
    expect(now.stdout.replace(/last written \w+ ago/, 'last written long ago')).toBe(
      [
        'trip:1  version 8, 1 message',
        'created 2026-01-02 03:04:05, last written long ago',
        'metadata {"channel":"web"}',
        '',
        'summary',
        '    Wants a train to Rome.',
        '',
        '   5  user  2026-01-02 03:04:05',
        '    The later one',
        '',
        '',
      ].join('\n'),
    )
    const { stdout } = await runCommand(['show', 'trip:1', '--at', '4', '-n', '3'], { env })
    expect(stdout).toContain('version 4 of 8 (historical), 4 messages')
    expect(stdout).toContain('… 1 earlier message')
    expect(stdout).toContain('    → search  call_1\n      {"to":"Rome"}\n')
    expect(stdout).toContain('   3  tool  2026-01-02 03:04:05\n    ← call_1\n      08:10\n      12:40\n')
    expect(stdout).not.toContain('summary')
  })

  test('log tells what each event did to the view', async () => {
    const { env } = await sampleStore(backend)
    const { code, stdout } = await runCommand(['log', 'trip:1'], { env })
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        '     1  2026-01-02 03:04:05  MessageAdded      user  Find a train to Rome',
        '     2  2026-01-02 03:04:05  MessageAdded      assistant  → search({"to":"Rome"})',
        '     3  2026-01-02 03:04:05  MessageAdded      tool  ← 08:10 12:40',
        '     4  2026-01-02 03:04:05  MessageAdded      assistant  At 08:10 or 12:40.',
        '     5  2026-01-02 03:04:05  MessageAdded      user  The later one',
        '     6  2026-01-02 03:04:05  SummarySet        Wants a train to Rome.',
        '     7  2026-01-02 03:04:05  Truncated         cut through 4, summarised at version 5',
        '                             └ removed 4 (1–4); the view has 1 message',
        '     8  2026-01-02 03:04:05  MetadataSet       {"channel":"web"}',
        '',
      ].join('\n'),
    )
    const last = await runCommand(['log', 'trip:1', '-n', '2', '--json'], { env })
    const events = last.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: object; effect: object })
    expect(events.map(({ event }) => (event as { seq: number }).seq)).toEqual([7, 8])
    expect(events[0]?.effect).toEqual({ added: [], removed: [1, 2, 3, 4], length: 1, isWhole: true })
    const reversed = await runCommand(['log', 'trip:1', '-r', '-n', '1', '--from', '3', '--to', '4'], { env })
    expect(reversed.stdout).toMatch(/^ +4 .*\n$/)
  })

  test('log of a range without events says so', async () => {
    const { env } = await sampleStore(backend)
    const beyond = await runCommand(['log', 'trip:1', '--from', '9'], { env })
    expect(beyond).toEqual({ code: 0, stdout: '', stderr: 'No event in that range. The last one is 8.\n' })
    expect(await runCommand(['log', 'trip:1', '--to', '0'], { env })).toEqual(beyond)
    expect(await runCommand(['log', 'trip:1', '--from', '9', '--json'], { env })).toMatchObject({ code: 0, stderr: '' })
    const turned = await runCommand(['log', 'trip:1', '--from', '5', '--to', '2'], { env })
    expect(turned).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--from 5 is after --to 2.') })
  })

  test('log shows what is left of a deleted session and what compactions removed, with the reasons', async () => {
    const fill = async (store: SessionStore): Promise<void> => {
      for (const key of ['cut', 'gone']) {
        for (const text of ['one', 'two']) await store.addMessage(key, 'user', `SECRET ${text}`.padEnd(1000, '.'))
        await store.truncateHistory(key, 0)
      }
      await store.compact('cut')
      await store.addMessage('cut', 'user', 'SECRET three'.padEnd(2000, '.'))
      await store.truncateHistory('cut', 0)
      await store.sweep()
      await store.deleteSession('gone', { reason: 'asked by the user' })
    }
    const { env } = await sampleStore(backend, fill, { retention: { removedEventsForMs: 0 } })
    const gone = await runCommand(['log', 'gone'], { env })
    expect(gone).toMatchObject({ code: 0, stderr: '' })
    expect(gone.stdout).toMatch(
      /^ +\d+ {2}2026-01-02 03:04:05 {2}SessionDeleted +0 messages, \d events deleted: asked by the user\n$/,
    )
    const cut = await runCommand(['log', 'cut'], { env })
    expect(cut.stdout).toMatch(/2026-01-02 03:04:05 {2}Compacted +\d+ events removed permanently: retention\n$/)
    expect(cut.stdout).not.toContain('SECRET')
  })
})

describe('commands that look', () => {
  const backend = 'jsonl'

  test('list filters, sorts, limits, and gives keys alone or JSON lines', async () => {
    const { env } = await sampleStore(backend)
    const keys = async (...args: string[]): Promise<string> =>
      (await runCommand(['list', '-k', ...args], { env })).stdout
    expect(await keys('trip:')).toBe('trip:1\n')
    expect(await keys('--sort', 'version')).toBe('trip:1\nguest:7\n')
    expect(await keys('--sort', 'version', '-r', '-n', '1')).toBe('guest:7\n')
    expect(await keys('--after', 'guest:7')).toBe('trip:1\n')
    const { stdout } = await runCommand(['list', '--json', '-n', '1', 'trip:'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ key: 'trip:1', version: 8, messages: 1, metadata: { channel: 'web' } })
  })

  test('show --json gives one document with positions', async () => {
    const { env } = await sampleStore(backend)
    const { stdout } = await runCommand(['show', 'trip:1', '--json', '--at', '2'], { env })
    const document = JSON.parse(stdout) as { messages: { position: number }[] }
    expect(document).toMatchObject({ key: 'trip:1', version: 2, summary: '' })
    expect(document.messages.map(({ position }) => position)).toEqual([1, 2])
  })

  test('diff shows what a summary removed and what it put there', async () => {
    const { env } = await sampleStore(backend)
    const { stdout } = await runCommand(['diff', 'trip:1', '5', '7'], { env })
    expect(stdout).toContain('version 5 → 7\n−4 +0, 1 message unchanged\n')
    expect(stdout).toContain('summary\n  + Wants a train to Rome.\n')
    expect(stdout).toContain('−     2  assistant  → search({"to":"Rome"})\n')
    expect(stdout).toContain('      5  user  The later one\n')
    const json = await runCommand(['diff', 'trip:1', '5', '--json'], { env })
    expect(JSON.parse(json.stdout)).toEqual({
      from: 5,
      to: 8,
      summary: { before: '', after: 'Wants a train to Rome.' },
      removed: [1, 2, 3, 4],
      added: [],
      kept: 1,
    })
  })

  test('what the README quotes of turnlog show is what it prints', async () => {
    const { env } = await sampleStore(backend)
    const quoted = [...readFileSync(README, 'utf8').matchAll(/^```text\n\$ turnlog (show .*)\n([^`]*)^```$/gm)]
    expect(quoted.length).toBe(2)
    for (const [, args = '', output = ''] of quoted) {
      const { stdout } = await runCommand(args.split(' '), { env })
      const anyAge = (text: string): string => text.trimEnd().replace(/last written \w+ ago/, 'last written long ago')
      expect(anyAge(stdout), args).toBe(anyAge(output))
    }
  })

  test('stats counts', async () => {
    const { env } = await sampleStore(backend)
    const { stdout } = await runCommand(['stats', '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 2, deletedSessions: 0, events: 9, messages: 2 })
    const words = await runCommand(['stats'], { env })
    expect(words.stdout).toMatch(/sessions +2\n/)
  })

  test('verify finds nothing wrong', async () => {
    const { env } = await sampleStore(backend)
    const { code, stdout } = await runCommand(['verify'], { env })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '✓ 2 sessions, 9 events: no problems found.\n',
    })
    const one = await runCommand(['verify', 'trip:1', '--json'], { env })
    expect(JSON.parse(one.stdout)).toEqual({ ok: true, sessions: 1, events: 8, problems: [] })
  })

  test('a session that is not there ends with 1 and says so on the error stream', async () => {
    const { env } = await sampleStore(backend)
    for (const args of [
      ['show', 'nobody'],
      ['log', 'nobody'],
      ['diff', 'nobody', '1'],
      ['verify', 'nobody'],
    ]) {
      const { code, stdout, stderr } = await runCommand(args, { env })
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('There is no session "nobody"')
    }
  })

  test('a version that is not there yet is wrong usage, one that was compacted away is not found', async () => {
    const { env } = await sampleStore(backend, async (store) => {
      await store.addMessages('s', [
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
      ])
      await store.truncateHistory('s', 0)
      await store.addMessage('s', 'user', 'three')
      await store.compact('s')
    })
    expect(await runCommand(['show', 's', '--at', '99'], { env })).toMatchObject({ code: 2 })
    const trimmed = await runCommand(['diff', 's', '1', '--json'], { env })
    expect(trimmed.code).toBe(1)
    expect(JSON.parse(trimmed.stderr)).toMatchObject({ error: { code: 'TRIMMED' } })
    const log = await runCommand(['log', 's'], { env })
    expect(log.stdout).toMatch(/Compacted +3 events removed permanently\n/)
  })
})
