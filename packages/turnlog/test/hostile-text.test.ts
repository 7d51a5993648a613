import { expect, test } from 'vitest'
import { runHere } from './run-here.ts'
import { sampleStore } from './sample-store.ts'

const SEED = 20260102
const STRINGS = 640

/** Every one of these must never reach a terminal as it is. */
const HOSTILE = [
  ...Array.from({ length: 0x20 }, (_, code) => code).filter((code) => code !== 0x0a),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...Array.from({ length: 5 }, (_, i) => 0x202a + i),
  ...Array.from({ length: 4 }, (_, i) => 0x2066 + i),
  ...Array.from({ length: 5 }, (_, i) => 0x200b + i),
  0x00ad,
  0x061c,
  0x180e,
  0x2028,
  0x2029,
  0x2060,
  0x206a,
  0x206f,
  0xfeff,
  0xfff9,
  0xfffb,
  0x115f,
  0x3164,
  0xffa0,
  0xe0001,
  0xe0041,
  0xe007f,
  0xffff,
  0xd800,
  0xdfff,
]

const SEQUENCES = [
  '\u001b[31mred\u001b[0m',
  '\u001b[2J\u001b[H',
  '\u001b]52;c;ZXZpbA==\u0007',
  '\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\',
  '\u001b]0;title\u0007',
  '\u009b31m',
  '\u009d52;c;ZXZpbA==\u009c',
  '\u001bP+q544e\u001b\\',
  '\u001b[?1049h',
  '\u001b[6n',
  '\rerror: all is well',
  'user\b\b\b\broot',
  '\u202egnp.exe\u202c',
  'if (a) { /*\u202e } \u2066if (b)\u2069 \u2066 */',
  '\u{e0041}\u{e0042}',
]

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function hostileStrings(): string[] {
  const next = random(SEED)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  return Array.from({ length: STRINGS }, (_, index) => {
    // Each character and each sequence once for certain, then mixtures.
    const certain = HOSTILE[index] ?? 0x1b
    const parts = [String.fromCodePoint(certain), SEQUENCES[index % SEQUENCES.length] as string]
    for (let i = 0; i < 6; i++) {
      parts.push(
        next() < 0.4
          ? pick(SEQUENCES)
          : next() < 0.6
            ? String.fromCodePoint(pick(HOSTILE))
            : pick(['ok', 'é', '漢', '👍', '\n', ' ']),
      )
    }
    return parts.sort(() => next() - 0.5).join('')
  })
}

const CODES = new Set(HOSTILE)

function hostileIn(output: string): string[] {
  return Array.from(output)
    .filter((character) => CODES.has(character.codePointAt(0) ?? 0))
    .map((c) => c.codePointAt(0)?.toString(16) ?? '')
}

test(`nothing that ${STRINGS} hostile strings contain reaches the terminal as it is (seed ${SEED})`, async () => {
  const strings = hostileStrings()
  const { env } = await sampleStore('jsonl', async (store) => {
    await store.addMessages(
      'plain',
      strings.map((content) => ({ role: 'user', content })),
    )
    await store.addMessages(
      'everywhere',
      strings.slice(0, 120).map((text) => ({
        role: text,
        content: [
          { type: text, [text]: text },
          { type: 'tool_use', id: text, name: text, input: { [text]: text } },
          { type: 'tool_result', tool_use_id: text, content: [{ type: 'text', text }] },
          { type: 'thinking', thinking: text },
        ],
      })),
    )
    await store.setSummary('everywhere', strings.join(''))
    await store.setMetadata('everywhere', { [SEQUENCES[0] as string]: SEQUENCES.join('') })
    await store.note('everywhere', SEQUENCES.join(''), { data: strings.slice(0, 40) })
    await store.truncateHistory('everywhere', 0)
    await store.addMessage('key \u202e\u2066\u200b\ufeff\u{e0041}', 'user', 'x')
    await store.addMessage('gone', 'user', 'x')
    await store.deleteSession('gone', { reason: SEQUENCES.join('') })
  })
  const commands = [
    ['list'],
    ['list', '--keys'],
    ['show', 'plain', '--full'],
    ['show', 'everywhere', '--at', '120', '--full'],
    ['show', 'everywhere'],
    ['log', 'plain'],
    ['log', 'everywhere'],
    ['log', 'gone'],
    ['diff', 'everywhere', '120'],
    ['diff', 'plain', '0'],
    ['show', 'nobody \u202e'],
  ]
  for (const command of [...commands, ...commands.map((args) => [...args, '--json'])]) {
    const { stdout, stderr } = await runHere(command, env)
    expect(hostileIn(stdout + stderr), command.join(' ')).toEqual([])
  }
  // With colours the only escapes are those of the colours.
  for (const command of commands.filter(([name]) => name === 'show' || name === 'log')) {
    const { stdout, stderr } = await runHere(command, { ...env, FORCE_COLOR: '1' })
    const painted = (stdout + stderr).replaceAll(/\u001b\[(?:[0-9]|2[1-9]|3[0-9]|4[0-9])m/g, '') // oxlint-disable-line no-control-regex
    expect(hostileIn(painted), command.join(' ')).toEqual([])
  }
  const shown = await runHere(['show', 'plain', '--json'], env)
  const document = JSON.parse(shown.stdout) as { messages: { message: { content: string } }[] }
  expect(document.messages.map(({ message }) => message.content)).toEqual(strings)
})
