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

describe.each(apiNames)('random lives for %s', (api) => {
  test('are accepted, lose nothing that was said or answered, and are the same the second time', () => {
    for (let seed = first; seed < first + HISTORIES; seed++) {
      const life = lifeOf(api, seed)
      const cut = randomOf(seed)(2) === 0 ? 0 : randomOf(seed + 1)(life.messages.length)
      const given = deepFreeze(life.messages.slice(cut))
      const bytes = JSON.stringify(given)
      const { messages, sources, repairs } = historyFor(given, api)
      const shown = JSON.stringify(messages)
      const about = `SEED=${seed} ${api}`
      expect(validators[api](messages), about).toBeUndefined()
      expect(JSON.stringify(given), about).toBe(bytes)
      for (const { text, at } of life.said) if (at >= cut) expect(shown.split(text), `${about} ${text}`).toHaveLength(2)
      for (const { text, callAt } of life.answered) {
        if (callAt >= cut) expect(shown.split(text), `${about} ${text}`).toHaveLength(2)
      }
      expect(sources.flat().length, about).toBeLessThanOrEqual(given.length + messages.length)
      if (repairs.length === 0) expect(messages, about).toEqual(given)
      const again = historyFor(messages, api)
      expect(JSON.stringify(again.messages), about).toBe(shown)
      expect(again.repairs, about).toEqual([])
      expect(JSON.stringify(historyFor(structuredClone(given), api).messages), about).toBe(shown)
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
