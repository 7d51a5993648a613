import { describe, expect, test } from 'vitest'

import { describeMessage } from '../../src/describe/index.ts'
import { INTERRUPTED } from '../../src/formats/interrupted.ts'
import { repairPairs, safeBoundary, toolLinks } from '../../src/index.ts'
import { redactMessage } from '../../src/redact/index.ts'

const SECRET = 'hunter2'

/** Written by hand from the types that the SDKs publish. */
interface Fixture {
  readonly user: object
  /** Two calls, `a` and `b`. */
  readonly calls: object
  readonly results: readonly object[]
  readonly say: object
}

const chatUser = { role: 'user', content: SECRET }
const chatSay = { role: 'assistant', content: SECRET }
const input = { id: SECRET, name: SECRET }
const both = ['a', 'b'] as const

function stored(type: string, data: object): object {
  return { type, data: { name: undefined, id: undefined, ...data } }
}

function live(name: string, kwargs: object): object {
  return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs }
}

const lcCalls = both.map((id) => ({ type: 'tool_call', id, name: 'look', args: input }))
const chatCalls = both.map((id) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: JSON.stringify(input) },
}))

const fixtures: { readonly [name: string]: Fixture } = {
  'Mistral and Cohere v2': {
    user: chatUser,
    calls: { role: 'assistant', content: '', toolCalls: chatCalls },
    results: both.map((toolCallId) => ({ role: 'tool', toolCallId, name: 'look', content: SECRET })),
    say: chatSay,
  },
  'Bedrock Converse and Strands': {
    user: { role: 'user', content: [{ text: SECRET }] },
    calls: { role: 'assistant', content: both.map((toolUseId) => ({ toolUse: { toolUseId, name: 'look', input } })) },
    results: [
      {
        role: 'user',
        content: both.map((toolUseId) => ({
          toolResult: { toolUseId, content: [{ text: SECRET }], status: 'success' },
        })),
      },
    ],
    say: { role: 'assistant', content: [{ text: SECRET }] },
  },
  'Ollama without ids': {
    user: chatUser,
    calls: {
      role: 'assistant',
      content: '',
      tool_calls: both.map((name) => ({ function: { name, arguments: input } })),
    },
    results: both.map((tool_name) => ({ role: 'tool', tool_name, content: SECRET })),
    say: chatSay,
  },
  'Ollama with ids on the calls': {
    user: chatUser,
    calls: {
      role: 'assistant',
      content: '',
      tool_calls: both.map((id) => ({ id, function: { name: 'look', arguments: input } })),
    },
    results: both.map(() => ({ role: 'tool', tool_name: 'look', content: SECRET })),
    say: chatSay,
  },
  'LangChain, stored': {
    user: stored('human', { content: SECRET }),
    calls: stored('ai', { content: '', tool_calls: lcCalls, invalid_tool_calls: [], additional_kwargs: {} }),
    results: both.map((tool_call_id) => stored('tool', { content: [{ type: SECRET }], tool_call_id })),
    say: stored('ai', { content: SECRET, tool_calls: [] }),
  },
  'LangChain, live': {
    user: live('HumanMessage', { content: SECRET }),
    calls: live('AIMessage', { content: '', tool_calls: lcCalls }),
    results: both.map((tool_call_id) => live('ToolMessage', { content: [{ type: SECRET }], tool_call_id })),
    say: live('AIMessageChunk', { content: SECRET }),
  },
  'TanStack AI, model messages': {
    user: chatUser,
    calls: { role: 'assistant', content: null, toolCalls: chatCalls },
    results: both.map((toolCallId) => ({ role: 'tool', toolCallId, content: SECRET })),
    say: chatSay,
  },
  Genkit: {
    user: { role: 'user', content: [{ text: SECRET }] },
    calls: { role: 'model', content: both.map((ref) => ({ toolRequest: { ref, name: 'look', input } })) },
    results: [{ role: 'tool', content: both.map((ref) => ({ toolResponse: { ref, name: 'look', output: SECRET } })) }],
    say: { role: 'model', content: [{ text: SECRET }] },
  },
  pi: {
    user: { role: 'user', content: SECRET, timestamp: 1 },
    calls: {
      role: 'assistant',
      content: both.map((id) => ({ type: 'toolCall', id, name: 'look', arguments: input })),
      timestamp: 2,
    },
    results: both.map((toolCallId) => ({
      role: 'toolResult',
      toolCallId,
      toolName: 'look',
      content: [{ type: 'text', text: SECRET }],
      isError: false,
      timestamp: 3,
    })),
    say: { role: 'assistant', content: [{ type: 'text', text: SECRET }], timestamp: 4 },
  },
  Goose: {
    user: { role: 'user', created: 1, content: [{ type: 'text', text: SECRET }] },
    calls: {
      role: 'assistant',
      created: 2,
      content: both.map((id) => ({
        type: 'toolRequest',
        id,
        toolCall: { status: 'success', value: { name: 'look', arguments: input } },
      })),
    },
    results: [
      {
        role: 'user',
        created: 3,
        content: both.map((id) => ({
          type: 'toolResponse',
          id,
          toolResult: { status: 'success', value: [{ type: 'text', text: SECRET }] },
        })),
      },
    ],
    say: { role: 'assistant', created: 4, content: [{ type: 'text', text: SECRET }] },
  },
}

/** Formats in which call and result are one part, or two of one message. */
const inside: { readonly [name: string]: { readonly open: object; readonly done: object } } = {
  'AI SDK 4': {
    open: {
      type: 'tool-invocation',
      toolInvocation: { state: 'call', toolCallId: 'a', toolName: 'look', args: input },
    },
    done: {
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId: 'a', toolName: 'look', args: input, result: SECRET },
    },
  },
  'TanStack AI, UI messages': {
    open: { type: 'tool-call', id: 'a', name: 'look', arguments: SECRET, state: 'input-complete' },
    done: { type: 'tool-call', id: 'a', name: 'look', arguments: SECRET, state: 'complete', output: SECRET },
  },
}

describe.each(Object.entries(fixtures))('messages of %s', (_, { user, calls, results, say }) => {
  const healthy = [user, calls, ...results, say, user, calls, ...results, say]

  test('stay as they are when nothing is wrong, and are not cut between call and result', () => {
    const { messages, repairs } = repairPairs(healthy)
    expect(repairs).toEqual([])
    for (const [at, message] of messages.entries()) expect(message).toBe(healthy[at])
    expect(safeBoundary(healthy, 2)).toBe(1)
    expect(toolLinks(calls).calls).toHaveLength(2)
    expect(results.flatMap((result) => toolLinks(result).results)).toHaveLength(2)
  })

  test('get an answer of their own format for a lost result, and a late result at its call', () => {
    const { messages, repairs } = repairPairs([user, calls, user, say])
    expect(repairs).toMatchObject([{ index: 1, action: 'answered-call' }])
    const made = messages.slice(2, -2)
    expect(made.flatMap((message) => toolLinks(message).results)).toHaveLength(2)
    expect(JSON.stringify(made)).toContain(INTERRUPTED)
    expect(repairPairs(messages).repairs).toEqual([])
    expect(repairPairs([calls, user, ...results]).messages).toEqual([calls, ...results, user])
  })

  test('are redacted without a word of what was said, given or found, and pair as before', () => {
    const copies = healthy.map((message) => redactMessage(message) as object)
    expect(JSON.stringify(copies)).not.toContain(SECRET)
    expect(copies.map((message) => toolLinks(message))).toEqual(healthy.map((message) => toolLinks(message)))
  })

  test('are described', () => {
    const [called, found] = [describeMessage(calls as never), describeMessage((results[0] ?? {}) as never)]
    expect(called.blocks.filter(({ kind }) => kind === 'call')).toHaveLength(2)
    expect(found.blocks.some((block) => block.kind === 'result' && block.output.includes(SECRET))).toBe(true)
    expect(describeMessage(say as never).blocks).toMatchObject([{ kind: 'text', text: SECRET }])
  })
})

describe.each(Object.entries(inside))('parts of %s', (_, { open, done }) => {
  const user = { role: 'user', parts: [{ type: 'text', text: SECRET }] }
  const message = (part: object): object => ({ id: 'm', role: 'assistant', parts: [part] })

  test.each([
    ['in parts', message],
    [
      'in content, as Mastra keeps them',
      (part: object) => ({ id: 'm', role: 'assistant', content: { format: 2, parts: [part] } }),
    ],
  ])('%s: an open call is answered once the user goes on', (where, wrap) => {
    if (where.includes('Mastra') && !JSON.stringify(open).includes('toolInvocation')) return
    expect(repairPairs([wrap(done), user]).repairs).toEqual([])
    expect(toolLinks(wrap(open)).calls).toEqual(['a'])
    const { messages } = repairPairs([wrap(open), user])
    expect(messages).toHaveLength(2)
    expect(JSON.stringify(messages)).toContain(INTERRUPTED)
    expect(repairPairs(messages).repairs).toEqual([])
    for (const part of [open, done]) {
      const copy = redactMessage(wrap(part)) as object
      expect(JSON.stringify(copy)).not.toContain(SECRET)
      expect(toolLinks(copy)).toEqual(toolLinks(wrap(part)))
    }
    expect(describeMessage(message(open) as never).blocks).toMatchObject([{ kind: 'call', id: 'a' }])
  })
})
