import { describe, expect, test } from 'vitest'

import { INTERRUPTED } from '../../src/formats/interrupted.ts'
import { historyFor, pendingCalls, repairPairs } from '../../src/index.ts'

// What agent developers ran into, each as small as it gets.

const user = (content: string) => ({ role: 'user', content })
const call = (id: string) => ({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function' }] })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `found ${id}` })

describe('repair', () => {
  test.each([
    ['open', { state: 'approval-requested', approval: { id: 'p' } }],
    ['denied', { state: 'approval-responded', approval: { id: 'p', approved: false } }],
  ])('makes no error of a UI part whose approval is %s', (_, fields) => {
    const part = { type: 'tool-look', toolCallId: 'a', input: {}, ...fields }
    const { messages } = repairPairs([{ role: 'assistant', parts: [part] }, user('never mind')])
    const approval = { id: 'p', approved: false, reason: INTERRUPTED }
    expect(messages[0]).toEqual({ role: 'assistant', parts: [{ ...part, state: 'output-denied', approval }] })
  })

  test('puts a system message behind the result that it came before', () => {
    const system = { role: 'system', content: 'be brief' }
    expect(repairPairs([call('a'), system, result('a')]).messages).toEqual([call('a'), result('a'), system])
  })

  test('moves a late result over the pair that came before it', () => {
    const { messages } = repairPairs([call('a'), call('b'), result('b'), result('a')])
    expect(messages).toEqual([call('a'), result('a'), call('b'), result('b')])
  })

  test('leaves no thinking alone when the call it led to is dropped', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' }
    const search = { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }
    const { messages } = repairPairs([{ role: 'assistant', content: [thinking, search] }, user('well?')])
    expect(messages).toEqual([user('well?')])
  })

  test('answers a lost call of items before the user speaks again', () => {
    const item = (call_id: string) => ({ type: 'function_call', call_id, name: 'look', arguments: '{}' })
    const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'found' })
    const { repairs } = repairPairs([item('a'), item('b'), output('b'), item('c'), output('c')])
    expect(repairs).toEqual([{ index: 0, ids: ['a'], action: 'answered-call' }])
  })
})

test('pendingCalls names what is open at the end, and nothing that the model went on without', () => {
  const messages = [call('lost'), user('go on'), { ...call('a'), tool_calls: [{ id: 'a' }, { id: 'b' }] }, result('b')]
  expect(pendingCalls(messages)).toEqual([{ id: 'a', index: 2 }])
})

test('an approval that comes behind its result does not make the tool run again', () => {
  const approved = { type: 'tool-approval-response', approvalId: 'p', approved: true }
  const found = { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'found' } }
  const asked = {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
      { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'a' },
    ],
  }
  const tool = (part: object) => ({ role: 'tool', content: [part] })
  const { messages } = historyFor([asked, tool(found), tool(approved)], 'ai-sdk-model')
  expect(messages).toEqual([asked, { role: 'tool', content: [approved, found] }])
})

test('the newest four cache marks stay', () => {
  const block = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })
  const given = ['1', '2', '3', '4', '5', '6'].map((text) => ({ role: 'user', content: [block(text)] }))
  const { messages } = historyFor(given, 'anthropic')
  expect(messages.map((message) => JSON.stringify(message).includes('cache_control'))).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ])
})
