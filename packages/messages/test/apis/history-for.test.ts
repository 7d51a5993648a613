import { describe, expect, test } from 'vitest'

import { historyFor } from '../../src/index.ts'
import { toolLinks } from '../../src/pairs/tool-links.ts'
import { deepFreeze } from '../pairs/conversation.ts'
import { apiNames, lifeOf, randomOf } from './lives.ts'
import { validators } from './validators.ts'

// `npm run test:histories` judges 10,000 histories of each API; a few hundred are enough for every day.
const HISTORIES = Number(process.env['HISTORIES'] ?? 300)
const first = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
console.log(`histories: SEED=${first}`)

const FINE: Record<'missing' | 'twice', string[]> & Record<'again' | 'changed' | 'other' | 'sources', boolean> = {
  missing: [],
  twice: [],
  again: false,
  changed: false,
  other: false,
  sources: false,
}

function isFine({
  refused,
  missing,
  twice,
  ...flags
}: typeof FINE & { readonly refused: string | undefined }): boolean {
  const isWhole = refused === undefined && missing.length === 0 && twice.length === 0
  return isWhole && Object.values(flags).every((flag) => !flag)
}

describe.each(apiNames)('random lives for %s', (api) => {
  // Without an `expect` for each text: ten thousand lives have a million of them.
  test('are accepted, lose nothing that was said or answered, and are the same the second time', () => {
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const life = lifeOf(api, seed)
      const cut = randomOf(seed)(2) === 0 ? 0 : randomOf(seed + 1)(life.messages.length)
      const given = deepFreeze(life.messages.slice(cut))
      const { messages, sources, repairs } = historyFor(given, api)
      const shown = JSON.stringify(messages)
      const again = historyFor(messages, api)
      const wanted = [
        ...life.said.filter(({ at }) => at >= cut),
        ...life.answered.filter(({ callAt }) => callAt >= cut),
      ].map(({ text }) => text)
      const judged = {
        refused: validators[api](messages),
        missing: wanted.filter((text) => !shown.includes(text)),
        twice: wanted.filter((text) => shown.indexOf(text) !== shown.lastIndexOf(text)),
        again: again.repairs.length > 0 || JSON.stringify(again.messages) !== shown,
        changed: repairs.length === 0 && given.some((message, at) => message !== messages[at]),
        other: JSON.stringify(historyFor(structuredClone(given), api).messages) !== shown,
        sources: sources.length !== messages.length,
      }
      if (!isFine(judged)) expect(judged, `SEED=${seed} ${api}`).toEqual(FINE)
    }
  }, 600_000)

  test('show a late result at its call when it arrives', () => {
    if (api === 'ai-sdk-ui') return
    for (let seed = first; seed < first + 50; seed++) {
      const { messages, answered } = lifeOf(api, seed)
      const last = answered.at(-1)
      if (last === undefined) continue
      const shown = historyFor(messages, api).messages
      const at = shown.findIndex((message) => JSON.stringify(message).includes(last.text))
      expect(at, `SEED=${seed}`).toBeGreaterThan(0)
      expect(toolLinks(shown[at] ?? {}).results.length, `SEED=${seed}`).toBeGreaterThan(0)
    }
  })
})
