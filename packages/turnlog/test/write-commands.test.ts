import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from './run-command.ts'
import type { Finished } from './run-command.ts'
import { sampleStore, temporaryDirectory } from './sample-store.ts'

async function json(args: readonly string[], env: Readonly<Record<string, string>>, input?: string): Promise<unknown> {
  const result = await runCommand([...args, '--json'], { env, ...(input === undefined ? undefined : { input }) })
  expect(result.stderr).toBe('')
  return JSON.parse(result.stdout)
}

describe('commands that change a store', () => {
  const backend = 'leveldb'

  test('add takes a text, a message, or lines of the input', async () => {
    const env = { TURNLOG_STORE: `${backend}:${join(temporaryDirectory(), 'new')}` }
    const refused = await runCommand(['add', 's', 'Hello'], { env })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/there is no such directory .*\. Give --create to make one\. /)
    expect((await runCommand(['rm', 's', '--yes'], { env })).stderr).not.toContain('--create')
    expect(await json(['add', 's', 'Hello', '--create'], env)).toMatchObject({ version: 1 })
    expect(await json(['add', 's', '--message', '{"role":"assistant","content":"Hi"}'], env)).toMatchObject({
      version: 2,
    })
    const lines = '{"role":"user","content":"a"}\n\n{"role":"user","content":"b"}\n'
    expect(await json(['add', 's', '--stdin', '--expect', '2'], env, lines)).toMatchObject({ version: 4 })
    const conflict = await runCommand(['add', 's', 'x', '--expect', '2'], { env })
    expect(conflict).toMatchObject({ code: 1, stdout: '' })
    expect(conflict.stderr).toContain('[CONFLICT]')
    const again = ['add', 's', 'once', '--operation-id', 'op-1']
    expect([await json(again, env), await json(again, env)]).toMatchObject([{ version: 5 }, { version: 5 }])
    expect(await json(['show', 's'], env)).toMatchObject({
      messages: ['Hello', 'Hi', 'a', 'b', 'once'].map((content) => ({ message: { content } })),
    })
  })

  test('add takes the items out of a rollout of Codex and counts what is none', async () => {
    const { env } = await sampleStore(backend)
    const timestamp = '2026-01-02T03:04:05.000Z'
    const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
    const call = { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'call_1' }
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'done' }
    const rollout = [
      { timestamp, type: 'session_meta', payload: { id: 'x', cwd: '/' } },
      { timestamp, type: 'turn_context', payload: { model: 'm' } },
      ...[said, call, output].map((payload) => ({ timestamp, type: 'response_item', payload })),
      { timestamp, type: 'event_msg', payload: { type: 'token_count' } },
      { timestamp, type: 'event_msg', payload: { type: 'agent_message', message: 'Hi' } },
    ]
    const input = rollout.map((line) => JSON.stringify(line)).join('\n')
    const added = await runCommand(['add', 'codex', '--stdin'], { env, input })
    expect(added.stdout).toBe(
      '✓ Added 3 messages; version 3. Left out lines that are no messages: 1 session_meta, 1 turn_context, 2 event_msg.\n',
    )
    expect(await json(['show', 'codex'], env)).toMatchObject({
      messages: [{ message: said }, { message: call }, { message: output }],
    })
  })

  test('add keeps the entries of Claude Code that somebody says, and messages of any other kind as they are', async () => {
    const { env } = await sampleStore(backend)
    const entry = { uuid: 'u1', parentUuid: null, sessionId: 's', timestamp: '2026-01-02T03:04:05.000Z' }
    const kept = [
      { ...entry, type: 'user', message: { role: 'user', content: 'Hello' } },
      { ...entry, type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] } },
      { type: 'summary', text: 'of another agent' },
      { type: 'system', role: 'system', content: 'of another agent' },
      { type: 'task', payload: { of: 'another agent' } },
    ]
    const others = [
      { type: 'summary', summary: 'Trains', leafUuid: 'u1' },
      { type: 'file-history-snapshot', messageId: 'u1', snapshot: {} },
      { ...entry, type: 'system', subtype: 'compact_boundary', content: 'compacted' },
    ]
    const none = await runCommand(['add', 'none', '--stdin'], { env, input: JSON.stringify(others[0]) })
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No line of the input is a message: 1 summary.'),
    })
    const input = [...others, ...kept].map((line) => JSON.stringify(line)).join('\n')
    expect(await json(['add', 'claude', '--stdin'], env, input)).toMatchObject({
      version: 5,
      leftOut: { summary: 1, 'file-history-snapshot': 1, system: 1 },
    })
    expect(await json(['show', 'claude'], env)).toMatchObject({ messages: kept.map((message) => ({ message })) })
  })

  test('add refuses what is no message and adds nothing, without repeating what it was given', async () => {
    const { env } = await sampleStore(backend)
    const broken = await runCommand(['add', 'trip:1', '--stdin'], { env, input: '{"role":"user"}\n\n \n{secret' })
    expect(broken).toMatchObject({ code: 2, stdout: '' })
    expect(broken.stderr).toContain('Line 4 of the input is not JSON')
    expect(broken.stderr).not.toContain('secret')
    expect(await runCommand(['add', 'trip:1', 'a', '--message', '{}'], { env })).toMatchObject({ code: 2 })
    expect(await runCommand(['add', 'trip:1', '--message', '[]'], { env })).toMatchObject({ code: 2 })
    expect(await json(['show', 'trip:1'], env)).toMatchObject({ version: 8 })
  })

  test('rm --erase takes what rm has left of a session, and then there is nothing to take', async () => {
    const { env } = await sampleStore(backend)
    expect(await json(['rm', 'guest:7', '--yes', '--reason', 'private'], env)).toEqual({
      deleted: ['guest:7'],
      missing: [],
    })
    expect((await runCommand(['log', 'guest:7'], { env })).stdout).toContain('private')
    expect(await runCommand(['rm', 'guest:7', '--yes'], { env })).toMatchObject({ code: 1 })
    expect(await json(['rm', 'guest:7', '--erase', '--yes'], env)).toEqual({ deleted: ['guest:7'], missing: [] })
    expect((await runCommand(['log', 'guest:7'], { env })).stdout).toBe('')
    const again = await runCommand(['rm', 'guest:7', '--erase', '--yes'], { env })
    expect(again).toEqual({ code: 1, stdout: '', stderr: 'There is no session "guest:7".\n' })
  })

  test('truncate, summarize and restore say how to undo them, and the undo works', async () => {
    const { env } = await sampleStore(backend, async (store) => {
      for (const content of ['a', 'b', 'c', 'd']) await store.addMessage('s', 'user', content)
    })
    const cut = await runCommand(['truncate', 's', '--keep', '1'], { env })
    expect(cut.stdout).toBe('✓ Removed 3 messages from the view, 1 left; version 5. Undo: turnlog restore s --at 4\n')
    const restored = await runCommand(['restore', 's', '--at', '4'], { env })
    expect(restored.stdout).toContain('4 messages in view (now at version 6). Undo: turnlog restore s --at 5\n')
    expect(await json(['truncate', 's', '--before', '2'], env)).toMatchObject({ removed: 1, kept: 3, moved: false })
    const summary = ['summarize', 's', '--through', '3', '--summary', 'Letters.', '--made-from']
    expect(await json([...summary, '7'], env)).toMatchObject({ removed: 2, kept: 1 })
    expect(await runCommand([...summary, '7'], { env })).toMatchObject({ code: 1 })
    expect(await json(['show', 's'], env)).toMatchObject({ summary: 'Letters.', messages: [{ position: 4 }] })
    expect(await runCommand(['truncate', 's'], { env })).toMatchObject({ code: 2 })
  })

  test('fork, compact, expire and rm', async () => {
    const { env } = await sampleStore(backend)
    expect(await json(['fork', 'trip:1', 'copy', '--at', '5'], env)).toMatchObject({ version: expect.any(Number) })
    expect(await runCommand(['fork', 'trip:1', 'copy'], { env })).toMatchObject({ code: 1 })
    expect(await runCommand(['compact', 'trip:1'], { env })).toMatchObject({ code: 2 })
    expect(await json(['compact', 'trip:1', '--yes'], env)).toMatchObject({ sessions: 1 })
    expect(await json(['compact', '--all', '--yes'], env)).toMatchObject({ sessions: 3 })
    const idle = ['expire', '--idle-for', '1d', '--prefix', 'guest:', '--dry-run']
    expect(await json(idle, env)).toEqual({ sessions: 1, keys: ['guest:7'] })
    expect((await runCommand(idle, { env })).stdout).toBe('  guest:7\n✓ 1 session would be deleted.\n')
    expect(await json(['expire', '--idle-for', '1d', '--prefix', 'guest:', '--yes'], env)).toEqual({ sessions: 1 })
    const removed: Finished = await runCommand(['rm', 'trip:1', 'nobody', '--erase', '--yes', '--json'], { env })
    expect(removed.code).toBe(1)
    expect(JSON.parse(removed.stdout)).toEqual({ deleted: ['trip:1'], missing: ['nobody'] })
    expect((await runCommand(['list', '-k'], { env })).stdout).toBe('copy\n')
  })
})
