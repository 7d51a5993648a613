import { describe, expect, it } from 'vitest'
import { INTERRUPTED } from '../../src/formats/interrupted.ts'
import { repairPairs } from '../../src/pairs/repair-pairs.ts'
import { safeBoundary } from '../../src/pairs/safe-boundary.ts'
import { toolLinks } from '../../src/pairs/tool-links.ts'
import { calls, deepFreeze, results, say, user, write, type Step } from './conversation.ts'
import { anthropic, chat, formats } from './formats.ts'
import { judge } from './pair-faults.ts'

describe.each(formats)('repair in $name', (format) => {
  const repair = (...steps: Step[]) => {
    const given = deepFreeze(write(format, ...steps))
    return { given, ...repairPairs(given) }
  }

  it('returns a sound history as the same objects', () => {
    const { given, messages, repairs } = repair(user, calls('a', 'b'), results('b'), results('a'), say, user)
    expect(repairs).toEqual([])
    expect(messages.length).toBe(given.length)
    for (const [at, message] of messages.entries()) expect(message).toBe(given[at])
  })

  it('drops a late result whose call was cut away', () => {
    const { given, messages, repairs } = repair(results('a'), user, say)
    expect(messages).toEqual(given.slice(1))
    expect(repairs).toEqual([{ index: 0, ids: ['a'], action: 'dropped-result' }])
  })

  it('answers an interrupted call directly behind it', () => {
    const { given, messages, repairs } = repair(calls('a'), user)
    expect(messages.length).toBe(3)
    expect([messages[0], messages[2]]).toEqual(given)
    expect(toolLinks(messages[1] ?? {})).toEqual({ calls: [], results: ['a'] })
    expect(JSON.stringify(messages[1])).toContain(INTERRUPTED)
    expect(repairs).toEqual([{ index: 0, ids: ['a'], action: 'answered-call' }])
  })

  it('answers the call that is missing among parallel ones, and only that', () => {
    const { messages, repairs } = repair(calls('a', 'b', 'c'), results('c'), results('a'), user)
    expect(repairs.flatMap(({ ids }) => ids)).toEqual(['b'])
    expect(judge(messages, format.sayEndsTurn)).toMatchObject({ orphans: [], interrupted: [], pending: [] })
    expect(JSON.stringify(messages).split(INTERRUPTED)).toHaveLength(2)
  })

  it('leaves a pending call at the end alone, with and without finished siblings', () => {
    expect(repair(user, calls('a')).repairs).toEqual([])
    expect(repair(user, calls('a', 'b'), results('a')).repairs).toEqual([])
  })

  it('pairs reused ids within their own turn', () => {
    const { messages, repairs } = repair(calls('call_0'), user, calls('call_0'), results('call_0'), user)
    expect(repairs).toEqual([{ index: 0, ids: ['call_0'], action: 'answered-call' }])
    expect(messages).toHaveLength(6)
  })

  it('answers a call whose id a newer call took over', () => {
    const { messages, repairs } = repair(calls('call_0'), calls('call_0'), results('call_0'))
    expect(repairs).toEqual([{ index: 0, ids: ['call_0'], action: 'answered-call' }])
    expect(toolLinks(messages[1] ?? {}).results).toEqual(['call_0'])
  })

  it('moves the results of interleaved turns behind their calls, unless they are items of one turn', () => {
    const { given, messages, repairs } = repair(calls('a'), calls('b'), results('a'), results('b'), user)
    if (!format.sayEndsTurn) return expect(repairs).toEqual([])
    expect(repairs).toEqual([{ index: 2, ids: ['a'], action: 'moved-result' }])
    expect(messages).toEqual([0, 2, 1, 3, 4].map((index) => given[index]))
  })

  it('moves a real result behind its call, past what was said in between, and changes nothing else', () => {
    const { given, messages, sources, repairs } = repair(user, calls('a'), user, results('a'), say)
    expect(repairs).toEqual([{ index: 3, ids: ['a'], action: 'moved-result' }])
    expect(sources).toEqual([0, 1, 3, 2, 4])
    for (const [at, source] of sources.entries()) expect(messages[at]).toBe(given[source])
  })

  it('gives a late result to the newest call of its id that nobody answered', () => {
    const { sources } = repair(calls('a'), user, calls('a'), user, calls('b'), results('b'), results('a'), user)
    expect(sources).toEqual([0, -1, 1, 2, 6, 3, 4, 5, 7])
  })
})

describe('the answer to an interrupted call', () => {
  const hello = { role: 'user', content: 'hello' }
  const answer = (call: object) => repairPairs([call, hello]).messages.slice(0, -1)

  it.each<[string, object, object]>([
    [
      'OpenAI chat',
      { role: 'assistant', tool_calls: [{ id: 'a' }] },
      { role: 'tool', tool_call_id: 'a', content: INTERRUPTED },
    ],
    [
      'a legacy function call',
      { role: 'assistant', function_call: { name: 'f' } },
      { role: 'function', name: 'f', content: INTERRUPTED },
    ],
    [
      'function_call',
      { type: 'function_call', call_id: 'a' },
      { type: 'function_call_output', call_id: 'a', output: INTERRUPTED },
    ],
    [
      'custom_tool_call',
      { type: 'custom_tool_call', call_id: 'a' },
      { type: 'custom_tool_call_output', call_id: 'a', output: INTERRUPTED },
    ],
    [
      'local_shell_call',
      { type: 'local_shell_call', call_id: 'a' },
      { type: 'local_shell_call_output', id: 'a', status: 'incomplete' },
    ],
    [
      'shell_call',
      { type: 'shell_call', call_id: 'a' },
      { type: 'shell_call_output', call_id: 'a', output: [{ stderr: INTERRUPTED }] },
    ],
    [
      'apply_patch_call',
      { type: 'apply_patch_call', call_id: 'a' },
      { type: 'apply_patch_call_output', call_id: 'a', status: 'failed' },
    ],
    [
      'tool_search_call',
      { type: 'tool_search_call', call_id: 'a' },
      { type: 'tool_search_output', call_id: 'a', tools: [] },
    ],
    [
      'mcp_approval_request',
      { type: 'mcp_approval_request', id: 'a' },
      { type: 'mcp_approval_response', approval_request_id: 'a', approve: false },
    ],
    [
      'Agents function_call',
      { type: 'function_call', callId: 'a', name: 'f' },
      { type: 'function_call_result', name: 'f', callId: 'a' },
    ],
    ['Agents shell_call', { type: 'shell_call', callId: 'a' }, { type: 'shell_call_output', callId: 'a' }],
    ['Agents program', { type: 'program', callId: 'a' }, { type: 'program_output', callId: 'a', status: 'incomplete' }],
    [
      'Agents approval',
      { type: 'hosted_tool_call', name: 'mcp_approval_request', providerData: { id: 'a' } },
      {
        type: 'hosted_tool_call',
        name: 'mcp_approval_response',
        providerData: { approve: false, approval_request_id: 'a' },
      },
    ],
    [
      'Anthropic',
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: INTERRUPTED, is_error: true }] },
    ],
    [
      'Claude Code',
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] } },
      { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] } },
    ],
    [
      'Gemini',
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { error: INTERRUPTED } } }] },
    ],
    [
      'a Gemini event',
      { author: 'scout', content: { role: 'model', parts: [{ functionCall: { name: 'f' } }] } },
      { author: 'scout', content: { role: 'user', parts: [{ functionResponse: { name: 'f' } }] } },
    ],
    [
      'AI SDK',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'f', output: { type: 'error-text', value: INTERRUPTED } },
        ],
      },
    ],
    [
      'AI SDK before version 5',
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', args: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'f', result: INTERRUPTED, isError: true }],
      },
    ],
    [
      'an AI SDK approval',
      { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }] },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: false }] },
    ],
  ])('has the shape of %s', (_, call, expected) => {
    const [same, made, ...rest] = answer(call)
    expect(same).toBe(call)
    expect(made).toMatchObject(expected)
    expect(rest).toEqual([])
  })

  it('joins the message that carries the results of its siblings, in front of its text', () => {
    const uses = ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} }))
    const seen = { type: 'tool_result', tool_use_id: 'a', content: 'seen' }
    const text = { type: 'text', text: 'stop' }
    const { messages } = repairPairs([
      { role: 'assistant', content: uses },
      { role: 'user', content: [seen, text] },
      hello,
    ])
    expect(messages).toHaveLength(3)
    expect(messages[1]).toEqual({
      role: 'user',
      content: [seen, { type: 'tool_result', tool_use_id: 'b', content: INTERRUPTED, is_error: true }, text],
    })
  })

  it('answers all parallel calls in one message where the format has parts', () => {
    const parts = ['f', 'f', 'g'].map((name) => ({ functionCall: { name } }))
    const { messages } = repairPairs([
      { role: 'model', parts },
      { role: 'user', parts: [{ text: 'stop' }] },
    ])
    expect(messages).toHaveLength(3)
    expect((messages[1] as { parts: object[] }).parts).toMatchObject(
      ['f', 'f', 'g'].map((name) => ({ functionResponse: { name } })),
    )
  })

  it('comes behind the chat results that are there', () => {
    const { messages } = repairPairs(write(chat, calls('a', 'b'), results('a'), user))
    expect(messages[2]).toEqual({ role: 'tool', tool_call_id: 'b', content: INTERRUPTED })
  })

  it('is written into an unfinished UI part', () => {
    const part = { type: 'tool-look', toolCallId: 'a', state: 'input-available', input: {} }
    const message = deepFreeze({ id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'x' }, part] })
    const { messages, repairs } = repairPairs([message, hello])
    expect(messages[0]).toEqual({
      ...message,
      parts: [message.parts[0], { ...part, state: 'output-error', errorText: INTERRUPTED }],
    })
    expect(repairs).toEqual([{ index: 0, ids: ['a'], action: 'answered-call' }])
    expect(repairPairs([message]).messages[0]).toBe(message)
  })

  it('stays in the assistant message for a tool that the provider executes', () => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {}, providerExecuted: true }
    const { messages } = repairPairs([{ role: 'assistant', content: [call] }, hello])
    expect(messages).toHaveLength(2)
    expect(messages[0]).toMatchObject({ content: [call, { type: 'tool-result', toolCallId: 'a' }] })
  })
})

describe('a call that cannot be answered', () => {
  const hello = { role: 'user', content: 'hello' }
  const reasoning = { type: 'reasoning', id: 'rs', summary: [] }

  it('goes together with the reasoning that led to it', () => {
    const { messages, repairs } = repairPairs([hello, reasoning, { type: 'computer_call', call_id: 'a' }, hello])
    expect(messages).toEqual([hello, hello])
    expect(repairs).toEqual([{ index: 2, ids: ['a'], action: 'dropped-call' }])
  })

  it('goes alone out of a message with other blocks', () => {
    const content = [
      { type: 'text', text: 'x' },
      { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} },
    ]
    const { messages, repairs } = repairPairs([{ role: 'assistant', content }, hello])
    expect(messages).toEqual([{ role: 'assistant', content: content.slice(0, 1) }, hello])
    expect(repairs).toEqual([{ index: 0, ids: ['a'], action: 'dropped-call' }])
  })

  it('goes with its message if only toolLinks of the caller knows it, and so does what hung on that message', () => {
    const links = (message: object) => (message as { links?: { calls: string[]; results: string[] } }).links
    const ask = { type: 'x', links: { calls: ['a'], results: [] } }
    const both = { type: 'x', links: { calls: ['b', 'c'], results: ['a'] } }
    const give = { type: 'x', links: { calls: [], results: ['c'] } }
    const { messages, repairs } = repairPairs([ask, both, give, hello], { toolLinks: links })
    expect(messages).toEqual([hello])
    expect(repairs).toEqual([
      { index: 0, ids: ['a'], action: 'dropped-call' },
      { index: 1, ids: ['b'], action: 'dropped-call' },
      { index: 2, ids: ['c'], action: 'dropped-result' },
    ])
  })
})

describe('repair', () => {
  const hello = { role: 'user', content: 'hello' }

  it('answers a call that the model went on without, though no message ended the turn', () => {
    const { repairs } = repairPairs(
      write(anthropic, calls('a', 'b'), results('a'), calls('c'), results('c'), calls('d')),
    )
    expect(repairs).toEqual([{ index: 0, ids: ['b'], action: 'answered-call' }])
  })

  it('keeps the text of a message that loses its results', () => {
    const text = { type: 'text', text: 'and now?' }
    const content = [{ type: 'tool_result', tool_use_id: 'a', content: '' }, text]
    expect(repairPairs([{ role: 'user', content }]).messages).toEqual([{ role: 'user', content: [text] }])
  })

  it('matches a Gemini response without id to the call of that name', () => {
    const call = { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] }
    const response = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] }
    expect(repairPairs([call, response, hello]).repairs).toEqual([])
  })

  it('matches Gemini responses with ids to calls of their names that have none, one each', () => {
    const part = { functionCall: { name: 'f', args: {} } }
    const call = { role: 'model', parts: [part, part] }
    const response = (id: string) => ({ role: 'user', parts: [{ functionResponse: { id, name: 'f', response: {} } }] })
    expect(repairPairs([call, response('x'), response('y'), hello]).repairs).toEqual([])
    expect(safeBoundary([call, response('x'), response('y'), hello], 2)).toBe(0)
    expect(repairPairs([call, response('x'), response('y'), response('z'), hello]).repairs).toEqual([
      { index: 3, ids: ['z'], action: 'dropped-result' },
    ])
  })

  it('never matches a Gemini call and a response of its name whose ids differ', () => {
    const call = { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] }
    const response = { role: 'user', parts: [{ functionResponse: { id: 'b', name: 'f', response: {} } }] }
    expect(repairPairs([call, response]).repairs).toEqual([{ index: 1, ids: ['b'], action: 'dropped-result' }])
  })

  it('settles when a message that lost its results ends a turn of its own', () => {
    const [call, result] = write(anthropic, calls('a'), results('a'))
    const mixed = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'zz' },
        { type: 'text', text: 'hm' },
      ],
    }
    const { messages } = repairPairs([call ?? {}, mixed, result ?? {}])
    expect(judge(messages, true)).toMatchObject({ orphans: [], interrupted: [] })
    expect(repairPairs(messages).repairs).toEqual([])
  })

  it('throws on no input, however odd', () => {
    const odd: unknown[] = [
      null,
      1,
      'x',
      [],
      [[]],
      {},
      { role: 7 },
      { role: 'tool' },
      { role: 'tool', tool_call_id: 7 },
      { role: 'assistant', tool_calls: [null, { id: 1 }, { id: 'a' }, { id: 'a' }], function_call: {} },
      { role: 'user', content: [null, { type: 'tool_result' }, { type: 'tool_result', tool_use_id: 'x' }] },
      { type: 'function_call' },
      { type: 'reasoning' },
      { message: { content: 4 } },
      { content: { parts: 'x' } },
      { role: 'assistant', parts: [{ type: 'tool-x', toolCallId: 4, state: 'x' }] },
      hello,
    ]
    const once = repairPairs(odd as object[])
    expect(repairPairs(once.messages).repairs).toEqual([])
  })

  it('ends even if toolLinks of the caller never says the same twice', () => {
    let count = 0
    const toolLinks = () => ({ calls: [`c${count++}`], results: [`r${count++}`] })
    expect(repairPairs([hello, hello, hello], { toolLinks }).messages.length).toBeLessThanOrEqual(3)
  })

  it('manages messages with 150,000 calls or results', () => {
    const many = Array.from({ length: 150_000 }, (_, at) => `c${at}`)
    const orphans = repairPairs(write(anthropic, { kind: 'results', ids: many }, user))
    expect(orphans.messages).toHaveLength(1)
    const answered = repairPairs(write(chat, { kind: 'calls', ids: many }, user))
    expect(answered.repairs[0]?.ids).toHaveLength(150_000)
    expect(repairPairs(answered.messages).repairs).toEqual([])
  })
})
