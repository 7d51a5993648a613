import { readFileSync } from 'node:fs'

import { cases, runConformance } from '@turnlog/conformance'
import { describe, expect, test } from 'vitest'

import { target } from './fixtures/folder-target.js'

const page = readFileSync(new URL('../../../docs/writing-a-backend.md', import.meta.url), 'utf8')

describe('docs/writing-a-backend.md', () => {
  test.each(['folder-backend.js', 'session-file.js', 'take-lock.js', 'folder-target.js'])(
    'shows exactly the %s that passes the suite',
    (name) => {
      const source = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
      expect(page).toContain(`\`\`\`js\n// ${name}\n${source}\`\`\`\n`)
    },
  )

  test('names every should that its backend does not meet', async () => {
    const shoulds = cases.filter(({ level }) => level === 'should').map(({ id }) => id.replaceAll('.', '\\.'))
    const report = await runConformance(target, { grep: new RegExp(`^(${shoulds.join('|')})$`), seed: 1 })
    const notMet = report.cases.filter(({ status }) => status === 'failed' || status === 'unproven')
    expect(notMet.map(({ id }) => id)).toEqual([/not meet[^`]*`(?<id>[a-z.-]+)`/.exec(page)?.groups?.['id']])
  })

  test('shows a backend that fits on a screen or two', () => {
    const source = readFileSync(new URL('./fixtures/folder-backend.js', import.meta.url), 'utf8')
    expect(source.split('\n').length).toBeLessThanOrEqual(65)
  })

  test('names only cases that exist', () => {
    const ids = new Set(cases.map(({ id }) => id))
    for (const [, id = ''] of page.matchAll(/^([a-z.-]+) \((?:must|should)\): /gm)) expect(ids.has(id), id).toBe(true)
  })
})
