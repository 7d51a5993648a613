import { fileURLToPath } from 'node:url'

import { build } from 'esbuild'
import { expect, test } from 'vitest'

import { INTERRUPTED } from '../src/formats/interrupted.ts'

const OWN = {
  pairs: INTERRUPTED,
  describe: 'input_text',
  redact: 'parentUuid',
} as const

async function bundleOf(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

test.each([
  ['index', 'pairs'],
  ['describe/index', 'describe'],
  ['redact/index', 'redact'],
] as const)('a bundle of %s takes of each format what it uses, and nothing else', async (entry, wanted) => {
  const bundle = await bundleOf(entry)
  const taken = Object.entries(OWN).filter(([, text]) => bundle.includes(text))
  expect(taken.map(([name]) => name)).toEqual([wanted])
})
