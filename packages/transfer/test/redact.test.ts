import { openStore, toolLinks } from '@turnlog/core'
import { exportSessions, importSessions } from '@turnlog/transfer'
import { expect, test } from 'vitest'

const SECRET = 'SECRET'

/** Tool calls and results in the shapes of five makers, with a secret wherever there is text. */
const messages = [
  { role: 'system', content: SECRET, name: `${SECRET} person` },
  {
    role: 'user',
    content: [
      { type: 'text', text: SECRET },
      { type: 'image_url', image_url: { url: SECRET } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    model_name: 'model-1',
    reasoning_content: SECRET,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'search', arguments: `{"q":"${SECRET}"}` } }],
  },
  { role: 'tool', tool_call_id: 'call_1', name: 'search', content: SECRET },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: SECRET } }] },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: SECRET }] }],
  },
  { type: 'function_call', callId: 'fc_1', name: 'write', arguments: SECRET },
  { type: 'function_call_result', callId: 'fc_1', name: 'write', output: { type: 'text', text: SECRET } },
  { role: 'model', parts: [{ functionCall: { id: 'g1', name: 'look', args: { at: SECRET } } }] },
  { role: 'user', parts: [{ functionResponse: { id: 'g1', name: 'look', response: { seen: [SECRET] } } }] },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'go', input: { to: SECRET } }] },
  { role: 'user', content: SECRET, ['__proto__']: { deep: SECRET }, tags: [SECRET], count: 7, ok: true },
]

async function redactedCopy() {
  const store = await openStore<object>('memory:')
  await store.addMessages('talk', messages, { operationId: 'op-1' })
  await store.setSummary('talk', `summary with ${SECRET}`)
  await store.setMetadata('talk', { owner: SECRET, tags: [SECRET] })
  await store.note('talk', 'usage', { by: SECRET })
  await store.truncateHistory('talk', 9, { operationId: 'op-2' })
  await store.fork('talk', 'fork')
  await store.addMessage('fork', { role: 'user', content: SECRET })
  await store.compact('fork')
  await store.addMessage('gone', { role: 'user', content: SECRET })
  await store.deleteSession('gone', { reason: SECRET })
  let text = ''
  for await (const line of exportSessions(store, { redact: true })) text += line
  return { store, text }
}

// eslint-disable-next-line typescript/require-await -- a stream, although everything is here already
async function* streamOf(text: string): AsyncGenerator<string> {
  yield text
}

test('no text is left in a redacted export, and it says that it is one', async () => {
  const { text } = await redactedCopy()
  expect(text).not.toContain(SECRET)
  expect(text.split('\n')[0]).toContain('"redacted":true')
})

test('a redacted export keeps structure, sizes, ids and pairs, and is a valid store', async () => {
  const { store, text } = await redactedCopy()
  await using copy = await openStore<object>('memory:')
  expect(await importSessions(copy, streamOf(text))).toMatchObject({ ok: true })
  expect((await copy.verify()).problems).toEqual([])
  for (const key of ['talk', 'fork']) {
    const [original, redacted] = [await store.load(key), await copy.load(key)]
    expect(redacted.positions).toEqual(original.positions)
    expect(redacted.summary).toBe('x'.repeat(original.summary.length))
    expect(redacted.messages.map((message) => toolLinks(message))).toEqual(
      original.messages.map((message) => toolLinks(message)),
    )
    expect(redacted.messages.map((message) => JSON.stringify(message).length)).toEqual(
      original.messages.map((message) => JSON.stringify(message).replaceAll(/\\"/g, '"').length),
    )
  }
  const history = await copy.getHistory('talk', { at: 12 })
  expect(history[0]).toEqual({ role: 'system', content: 'xxxxxx', name: 'xxxxxxxxxxxxx' })
  expect(history[2]).toMatchObject({
    model_name: 'model-1',
    tool_calls: [{ id: 'call_1', function: { name: 'search' } }],
  })
  expect(history[11]).toMatchObject({ tags: ['xxxxxx'], count: 7, ok: true })
  expect((await copy.load('talk')).metadata).toEqual({ owner: 'xxxxxx', tags: ['xxxxxx'] })
})

test('digests of what was asked for are not in a redacted export', async () => {
  const { store, text } = await redactedCopy()
  for await (const event of store.events('talk')) {
    if (event.opHash !== undefined) expect(text).not.toContain(event.opHash)
  }
  expect(text).toContain('"opHash":"redacted"')
})
