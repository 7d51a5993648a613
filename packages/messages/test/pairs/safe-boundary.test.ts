import { describe, expect, it } from 'vitest'
import { safeBoundary } from '../../src/pairs/safe-boundary.ts'
import { toolLinks } from '../../src/pairs/tool-links.ts'
import { calls, results, say, user, write } from './conversation.ts'
import { chat, formats } from './formats.ts'

describe.each(formats)('a cut in $name', (format) => {
  const cut = (boundary: number, ...steps: Parameters<typeof write>[1][]) =>
    safeBoundary(write(format, ...steps), boundary)
  const place = (...steps: Parameters<typeof write>[1][]) => write(format, ...steps).length

  it('moves back from between a call and its result', () => {
    expect(cut(2, user, calls('a'), results('a'), user)).toBe(1)
  })

  it('stays where it splits nothing', () => {
    expect(cut(3, user, calls('a'), results('a'), user)).toBe(3)
    expect(cut(1, user, calls('a'), results('a'), user)).toBe(1)
  })

  it('keeps parallel calls together with all their results, in whatever order they came', () => {
    const turn = [user, calls('a', 'b'), results('b'), results('a')] as const
    const end = place(...turn)
    for (let boundary = 1; boundary < end; boundary++) expect(cut(boundary, ...turn, user)).toBe(1)
    expect(cut(end, ...turn, user)).toBe(end)
  })

  it('keeps interleaved calls together', () => {
    const turn = [user, calls('a'), calls('b'), results('a'), results('b')] as const
    for (let boundary = 1; boundary < 5; boundary++) expect(cut(boundary, ...turn, user)).toBe(1)
    expect(cut(5, ...turn, user)).toBe(5)
  })

  it('pairs ids that come again in every turn within their own turn', () => {
    const steps = [calls('call_0'), results('call_0'), user, calls('call_0'), results('call_0'), user] as const
    expect([0, 1, 2, 3, 4, 5, 6].map((boundary) => cut(boundary, ...steps))).toEqual([0, 0, 2, 3, 3, 5, 6])
  })

  it('never goes through a pending call, not even to remove everything', () => {
    const length = place(user, calls('a', 'b'), results('a'))
    expect(cut(length, user, calls('a', 'b'), results('a'))).toBe(1)
    expect(cut(99, user, calls('a'))).toBe(1)
  })

  it('goes past a call that the user interrupted', () => {
    expect(cut(2, user, calls('a'), user, say)).toBe(2)
    expect(cut(4, user, calls('a'), user, say)).toBe(4)
  })

  it('leaves a late result alone whose call was cut or interrupted', () => {
    expect(cut(1, results('a'), user)).toBe(1)
    expect(cut(2, calls('a'), user, results('a'))).toBe(2)
  })

  it('finds nothing to keep in an empty history or below zero', () => {
    expect(safeBoundary([], 3)).toBe(0)
    for (const boundary of [0, -1, -Infinity, Number.NaN]) expect(cut(boundary, user, user)).toBe(0)
    expect(cut(1.9, user, user)).toBe(1)
    expect(cut(Infinity, user, user)).toBe(2)
  })
})

describe('a cut around a reasoning item', () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
  const call = { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: 'seen' }
  const hello = { role: 'user', content: 'hello' }

  it('keeps it with the call that it precedes', () => {
    const items = [hello, reasoning, call, output, hello]
    expect([1, 2, 3, 4].map((boundary) => safeBoundary(items, boundary))).toEqual([1, 1, 1, 4])
  })

  it('keeps a chain of them with the assistant message that follows', () => {
    const message = { type: 'message', role: 'assistant', content: [] }
    expect(safeBoundary([hello, reasoning, reasoning, message, hello], 3)).toBe(1)
  })

  it('keeps it with a call of a hosted tool and with a pending call', () => {
    expect(safeBoundary([hello, reasoning, { type: 'web_search_call', id: 'ws' }, hello], 2)).toBe(1)
    expect(safeBoundary([hello, reasoning, call], 3)).toBe(1)
  })

  it('does not glue it to a message of the user', () => {
    expect(safeBoundary([hello, reasoning, hello], 2)).toBe(2)
  })
})

describe('a cut in Claude Code entries', () => {
  const entry = (role: string, id: string | undefined, block: object) => ({
    type: role,
    message: { role, ...(id === undefined ? {} : { id }), content: [block] },
  })
  const use = (id: string) => entry('assistant', 'msg_1', { type: 'tool_use', id, name: 'look', input: {} })
  const result = (id: string) => entry('user', undefined, { type: 'tool_result', tool_use_id: id, content: 'seen' })
  const text = (id: string) => entry('assistant', id, { type: 'text', text: 'and' })

  it('sees the entries of one model message as one turn, with text between the calls', () => {
    const entries = [text('msg_0'), use('a'), text('msg_1'), use('b'), result('a'), result('b')]
    expect([2, 3, 4, 5, 6].map((boundary) => safeBoundary(entries, boundary))).toEqual([1, 1, 1, 1, 6])
  })

  it('lets what a sub-agent or the program itself says in between end nothing', () => {
    const side = { ...entry('user', undefined, { type: 'text', text: 'go' }), isSidechain: true }
    const meta = { ...entry('user', undefined, { type: 'text', text: 'note' }), isMeta: true }
    expect(safeBoundary([use('a'), side, meta, result('a')], 3)).toBe(0)
  })
})

describe('the cost of a cut', () => {
  const turns = (count: number) =>
    Array.from({ length: count }, () => write(chat, user, calls('call_0'), results('call_0'), say)).flat()

  it('is a few messages near the end of 10,000, whatever came before', () => {
    const messages = turns(2500)
    for (let back = 0; back < 8; back++) {
      let reads = 0
      safeBoundary(messages, messages.length - back, () => {
        reads++
        return undefined
      })
      expect(reads).toBeLessThanOrEqual(6)
    }
  })

  it('reads each message at most once where no turn ever ended', () => {
    const messages = Array.from({ length: 10_000 }, (_, at) => write(chat, at % 2 ? results('x') : calls('x'))).flat()
    let reads = 0
    expect(
      safeBoundary(messages, 5001, () => {
        reads++
        return undefined
      }),
    ).toBe(5000)
    expect(reads).toBe(5002)
  })
})

describe('a cut with toolLinks of the caller', () => {
  const links = (message: object) =>
    'asks' in message || 'gives' in message
      ? { calls: strings(message, 'asks'), results: strings(message, 'gives') }
      : undefined
  const strings = (message: object, field: string) =>
    Object.entries(message).flatMap(([name, value]) => (name === field ? [String(value)] : []))

  it('keeps together what they pair, and still knows the built-in shapes', () => {
    const messages = [{ type: 'x', asks: 1 }, { type: 'x', gives: 1 }, ...write(chat, calls('a'), results('a'))]
    expect([1, 2, 3, 4].map((boundary) => safeBoundary(messages, boundary, links))).toEqual([0, 2, 2, 4])
    expect(safeBoundary(messages, 1)).toBe(1)
  })

  it('may take a built-in shape out of pairing', () => {
    const [call] = write(chat, calls('a'))
    expect(toolLinks(call ?? {}, () => ({ calls: [], results: [] }))).toEqual({ calls: [], results: [] })
  })
})
