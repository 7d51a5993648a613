import { memoryBackend, openStore } from 'turnlog'
import { expect, test } from 'vitest'
import type { Entry } from '../src/claude-session-store.ts'
import { claudeSessionStore } from '../src/claude-session-store.ts'
import type { AgentItem } from '../src/openai-agents-session.ts'
import { TurnlogSession } from '../src/openai-agents-session.ts'

test('the OpenAI Agents session appends, limits, pops and clears', async () => {
  const store = await openStore<AgentItem>(memoryBackend())
  const session = new TurnlogSession(store, 'agent')
  const items = ['a', 'b', 'c'].map((content) => ({ type: 'message', role: 'user', content }))
  await session.addItems(items)
  expect(await session.getItems(2)).toEqual(items.slice(1))
  expect(await session.popItem()).toEqual(items[2])
  expect(await session.getItems()).toEqual(items.slice(0, 2))
  await session.clearSession()
  expect(await session.getItems()).toEqual([])
  expect(await session.popItem()).toBeUndefined()
})

test('a history transaction is applied once, and a different one under its id is refused', async () => {
  const store = await openStore<AgentItem>(memoryBackend())
  const session = new TurnlogSession(store, 'agent')
  const a: AgentItem = { role: 'user', content: 'a' }
  const b: AgentItem = { role: 'user', content: 'b' }
  const c: AgentItem = { role: 'user', content: 'c' }
  const append = { operationId: '1', transaction: { type: 'append_items' as const, items: [a, b] } }
  await session.applyHistoryTransaction(append)
  await session.applyHistoryTransaction(append)
  expect(await session.getItems()).toEqual([a, b])
  const replace = { type: 'replace_suffix' as const, expectedSuffix: [b], replacement: [c] }
  await session.applyHistoryTransaction({ operationId: '2', transaction: replace })
  await session.applyHistoryTransaction({ operationId: '2', transaction: replace })
  expect(await session.getItems()).toEqual([a, c])
  await expect(session.applyHistoryTransaction({ operationId: '3', transaction: replace })).rejects.toThrow(
    /does not end/,
  )
  const other = { operationId: '1', transaction: { type: 'append_items' as const, items: [c] } }
  await expect(session.applyHistoryTransaction(other)).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('a suffix that is replaced may be empty, or all there is', async () => {
  const store = await openStore<AgentItem>(memoryBackend())
  const session = new TurnlogSession(store, 'agent')
  const [a, b, c] = ['a', 'b', 'c'].map((content): AgentItem => ({ role: 'user', content })) as [
    AgentItem,
    AgentItem,
    AgentItem,
  ]
  const replace = (operationId: string, expectedSuffix: AgentItem[], replacement: AgentItem[]): Promise<void> =>
    session.applyHistoryTransaction({
      operationId,
      transaction: { type: 'replace_suffix', expectedSuffix, replacement },
    })
  await replace('1', [], [a, b])
  await replace('1', [], [a, b])
  await replace('2', [], [c])
  expect(await session.getItems()).toEqual([a, b, c])
  await replace('3', [a, b, c], [c])
  expect(await session.getItems()).toEqual([c])
  await expect(replace('4', [b, c], [a])).rejects.toThrow(/does not end/)
})

test('the Claude Agent SDK store keeps entries once, lists sessions, and deletes sub-agents with their parent', async () => {
  const store = claudeSessionStore(await openStore<Entry>(memoryBackend()))
  const key = { projectKey: '/home/me', sessionId: 's1' }
  expect(await store.load(key)).toBeNull()
  const entries = [
    { type: 'user', uuid: '1' },
    { type: 'assistant', uuid: '2' },
  ]
  await store.append(key, entries)
  await store.append(key, entries)
  expect(await store.load(key)).toEqual(entries)
  await store.append({ ...key, subpath: 'subagents/agent-1' }, [{ type: 'user', uuid: '3' }])
  expect(await store.listSubkeys(key)).toEqual(['subagents/agent-1'])
  expect((await store.listSessions('/home/me')).map(({ sessionId }) => sessionId)).toEqual(['s1'])
  await store.delete(key)
  expect(await store.load({ ...key, subpath: 'subagents/agent-1' })).toBeNull()
})
