import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { repairPairs } from '../src/pairs/repair-pairs.ts'
import { toolLinks } from '../src/pairs/tool-links.ts'
import { redactMessage } from '../src/redact/redact-message.ts'
import type { Format, Step } from './pairs/conversation.ts'
import { write } from './pairs/conversation.ts'
import { formats } from './pairs/formats.ts'

// A redacted export is sent to strangers: whatever a tool was given or has found must not be in it, under any name.

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const runs = { seed, numRuns: 300 }
console.log(`redact: SEED=${seed}`)

const SECRET = 'hunter2'

/** In a message some of these are structure. In what a tool is given they are anything. */
const TEMPTING = `id type role status model model_name name toolName tool_name state note account_id userId tool_call_id
  tool_use_id toolCallId call_id callId approvalId content parts message text input args arguments output result response
  value function function_call functionCall functionResponse tool_calls providerData __proto__`.split(/\s+/)

const secret = fc.constantFrom(SECRET, `my password is ${SECRET}`, `tool-${SECRET}`, JSON.stringify({ id: SECRET }))

const { payload } = fc.letrec<{ payload: object; leaf: unknown }>((tie) => ({
  leaf: fc.oneof({ depthSize: 'small' }, secret, fc.integer(), tie('payload') as fc.Arbitrary<unknown>),
  payload: fc
    .array(fc.tuple(fc.constantFrom(...TEMPTING), fc.oneof(tie('leaf'), fc.array(tie('leaf'), { maxLength: 2 }))), {
      maxLength: 4,
    })
    .map((fields) => Object.fromEntries(fields) as object),
}))

const ids = fc.uniqueArray(fc.constantFrom('call_0', 'call_1', 'call_2'), { minLength: 1, maxLength: 2 })
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.constantFrom<Step>({ kind: 'user' }, { kind: 'say' }, { kind: 'system' }),
    ids.map((some): Step => ({ kind: 'calls', ids: some })),
    ids.map((some): Step => ({ kind: 'results', ids: some })),
  ),
  { maxLength: 10 },
)

const uiParts: Format = {
  name: 'AI SDK UI messages',
  sayEndsTurn: true,
  write(step) {
    if (step.kind !== 'calls' && step.kind !== 'results')
      return [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]
    const state = step.kind === 'calls' ? 'input-available' : 'output-available'
    const parts = step.ids.map((toolCallId) => ({ type: 'tool-look', toolCallId, state, input: {}, output: 'seen' }))
    return [{ role: 'assistant', parts }]
  },
}

const legacyChat: Format = {
  name: 'OpenAI chat before tools',
  sayEndsTurn: true,
  write(step) {
    if (step.kind === 'calls') {
      return step.ids.map((name) => ({ role: 'assistant', content: null, function_call: { name, arguments: '{}' } }))
    }
    if (step.kind === 'results') return step.ids.map((name) => ({ role: 'function', name, content: 'seen' }))
    return [{ role: 'user', content: 'hello' }]
  },
}

const oldGemini: Format = {
  name: 'Gemini parts in messages of the role function',
  sayEndsTurn: true,
  write(step) {
    if (step.kind === 'calls') {
      return [{ role: 'model', parts: step.ids.map((name) => ({ functionCall: { name, args: {} } })) }]
    }
    if (step.kind !== 'results') return [{ role: 'user', parts: [{ text: 'hello' }] }]
    return [{ role: 'function', parts: step.ids.map((name) => ({ functionResponse: { name, response: {} } })) }]
  },
}

const approvals: Format = {
  name: 'approvals of the OpenAI Agents SDK',
  sayEndsTurn: false,
  write(step) {
    const type = 'hosted_tool_call'
    if (step.kind === 'calls') {
      return step.ids.map((id) => ({ type, name: 'mcp_approval_request', providerData: { id, arguments: '{}' } }))
    }
    if (step.kind !== 'results') return [{ role: 'user', content: 'hello' }]
    return step.ids.map((approval_request_id) => ({
      type,
      name: 'mcp_approval_response',
      providerData: { approval_request_id, approve: true, reason: 'seen' },
    }))
  },
}

/** The message with the payload as what every tool was given and has found, and a secret in every text. */
function planted(message: object, given: object): unknown {
  if (Array.isArray(message)) return message.map((item: object) => planted(item, given))
  return Object.fromEntries(
    Object.entries(message).map(([field, value]: [string, unknown]) => {
      if (field === 'input' || field === 'args' || field === 'response') return [field, given]
      if (field === 'arguments') return [field, JSON.stringify(given)]
      if (field === 'output') return [field, [given, { type: 'text', text: SECRET }]]
      if (value === 'seen') return [field, [given, given]]
      if (['hello', 'hi', 'well', 'be brief', 'let me see'].includes(value as string)) return [field, SECRET]
      return [field, typeof value === 'object' && value !== null ? planted(value, given) : value]
    }),
  )
}

describe.each([...formats, uiParts, legacyChat, oldGemini, approvals])('redacted messages in $name', (format) => {
  test('show nothing of what a tool was given or has found, whatever its fields are called', () => {
    fc.assert(
      fc.property(steps, payload, (some, given) => {
        for (const message of write(format, ...some)) {
          const full = planted(message, given)
          expect(JSON.stringify(redactMessage(full))).not.toContain(SECRET)
        }
      }),
      runs,
    )
  })

  test('pair as they did, so that a repair does the same to them', () => {
    fc.assert(
      fc.property(steps, payload, (some, given) => {
        const messages = write(format, ...some).map((message) => planted(message, given) as object)
        const redacted = messages.map((message) => redactMessage(message) as object)
        expect(redacted.map((message) => toolLinks(message))).toEqual(messages.map((message) => toolLinks(message)))
        const [mended, mendedCopy] = [repairPairs(messages), repairPairs(redacted)]
        expect(mendedCopy.repairs).toEqual(mended.repairs)
        const shown = (made: readonly object[]): unknown[] => made.map((message) => redactMessage(message))
        expect(shown(mendedCopy.messages)).toEqual(shown(mended.messages))
      }),
      runs,
    )
  })
})

test('a result keeps the types of its blocks where they are known words, and a field that nobody knows is replaced', () => {
  const content = [
    { type: 'text', text: SECRET },
    { type: 'diagnosis', patient_id: SECRET },
  ]
  expect(redactMessage({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] })).toEqual({
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: 'xxxxxxx' },
          { type: 'xxxxxxxxx', patient_id: 'xxxxxxx' },
        ],
      },
    ],
  })
  expect(redactMessage({ role: 'user', content: { status: SECRET, id: SECRET }, customerId: SECRET })).toEqual({
    role: 'user',
    content: { status: 'xxxxxxx', id: 'xxxxxxx' },
    customerId: 'xxxxxxx',
  })
})
