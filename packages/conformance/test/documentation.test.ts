import { readFileSync } from 'node:fs'
import { cases } from '@turnlog/conformance'
import { describe, expect, test } from 'vitest'

const page = readFileSync(new URL('../../../docs/writing-a-backend.md', import.meta.url), 'utf8')

describe('docs/writing-a-backend.md', () => {
  test.each(['folder-backend.js', 'session-file.js', 'take-lock.js', 'folder-target.js'])(
    'shows exactly the %s that passes the suite',
    (name) => {
      const source = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
      expect(page).toContain(`\`\`\`js\n// ${name}\n${source}\`\`\`\n`)
    },
  )

  test('shows a backend that fits on a screen or two', () => {
    const source = readFileSync(new URL('./fixtures/folder-backend.js', import.meta.url), 'utf8')
    expect(source.split('\n').length).toBeLessThanOrEqual(70)
  })

  test('names only cases that exist', () => {
    const ids = new Set(cases.map(({ id }) => id))
    for (const [, id = ''] of page.matchAll(/^([a-z.-]+) \((?:must|should)\): /gm)) expect(ids.has(id), id).toBe(true)
  })
})
