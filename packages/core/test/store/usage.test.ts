import { openStore } from '@turnlog/core'
import { memoryBackend } from '@turnlog/core/memory'
import { expect, test } from 'vitest'

const KEY = 'agent:1'

const NOTES: readonly [string, object, object][] = [
  [
    'Anthropic',
    {
      model: 'claude',
      usage: { input_tokens: 10, cache_read_input_tokens: 80, cache_creation_input_tokens: 5, output_tokens: 7 },
    },
    { input: 95, output: 7, cacheRead: 80, cacheWrite: 5 },
  ],
  [
    'OpenAI Responses',
    {
      model: 'gpt',
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
      },
    },
    { input: 100, output: 9, cacheRead: 60, reasoning: 4 },
  ],
  [
    'Chat Completions',
    {
      model: 'gpt',
      usage: {
        prompt_tokens: 20,
        completion_tokens: 3,
        prompt_tokens_details: { cached_tokens: 16 },
        total_tokens: 23,
      },
    },
    { input: 20, output: 3, cacheRead: 16 },
  ],
  [
    'Gemini',
    {
      modelVersion: 'gemini',
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 4, thoughtsTokenCount: 6, totalTokenCount: 22 },
    },
    { input: 12, output: 10, reasoning: 6 },
  ],
  [
    'Bedrock',
    { model: 'nova', usage: { inputTokens: 5, outputTokens: 2, cacheReadInputTokens: 50 } },
    { input: 55, output: 2, cacheRead: 50 },
  ],
  [
    'AI SDK',
    { model: 'gpt', usage: { inputTokens: 30, outputTokens: 8, cachedInputTokens: 20, reasoningTokens: 2 } },
    { input: 30, output: 8, cacheRead: 20, reasoning: 2 },
  ],
  ['Ollama', { model: 'llama', prompt_eval_count: 11, eval_count: 6 }, { input: 11, output: 6 }],
  ['Cohere', { model: 'command', usage: { tokens: { input_tokens: 4, output_tokens: 1 } } }, { input: 4, output: 1 }],
  ['the normal form', { model: 'mine', input: 2, output: 1 }, { input: 2, output: 1 }],
]

test.each(NOTES)('usage as %s gives it is summed in one form', async (_, data, wanted) => {
  const store = await openStore(memoryBackend())
  await store.note(KEY, 'usage', data)
  const [sum] = Object.values((await store.load(KEY)).usage)
  expect(sum).toEqual({ calls: 1, ...wanted })
})

test('usage is summed per model and survives compaction, deletion of messages and another store', async () => {
  const backend = memoryBackend()
  const store = await openStore(backend)
  for (let call = 0; call < 5; call++) {
    await store.batch(KEY, (session) => {
      session.addMessage('user', String(call))
      session.note('usage', { model: call === 0 ? 'small' : 'large', input: 10, output: 1, cacheRead: 2 })
      session.note('other', { input: 1000, output: 1000 })
    })
  }
  await store.note(KEY, 'usage', 'of no known form')
  await store.truncateHistory(KEY, 1)
  await store.compact(KEY)
  const usage = {
    small: { calls: 1, input: 10, output: 1, cacheRead: 2 },
    large: { calls: 4, input: 40, output: 4, cacheRead: 8 },
  }
  for (const own of [store, await openStore(backend)]) {
    expect((await own.load(KEY)).usage).toEqual(usage)
    expect((await own.info(KEY))?.usage).toEqual(usage)
    for await (const info of own.listSessions()) expect(info.usage).toEqual(usage)
    expect((await own.verify()).problems).toEqual([])
  }
})

test('many models are summed as one, so that the projection stays small', async () => {
  const store = await openStore(memoryBackend())
  for (let model = 0; model < 40; model++) await store.note(KEY, 'usage', { model: `m${model}`, input: 1, output: 1 })
  const { usage } = await store.load(KEY)
  expect(Object.keys(usage).length).toBeLessThanOrEqual(7)
  expect(Object.values(usage).reduce((sum, { calls }) => sum + calls, 0)).toBe(40)
})
