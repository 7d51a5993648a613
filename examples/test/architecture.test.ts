import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const packages = fileURLToPath(new URL('../../packages', import.meta.url))

/** Which packages a package may import. Arrows point down only. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  messages: [],
  core: ['@turnlog/messages'],
  adapters: ['@turnlog/core'],
  transfer: ['@turnlog/core', '@turnlog/core/backend', '@turnlog/messages/redact'],
  importers: ['@turnlog/core', '@turnlog/core/backend'],
  'leveldb-files': [],
  'storage-kit': ['@turnlog/core/backend'],
  'leveldb-backend': [
    '@turnlog/core/backend',
    '@turnlog/core',
    '@turnlog/leveldb-files',
    '@turnlog/storage-kit',
    '@turnlog/storage-kit/find-store',
  ],
  'jsonl-backend': ['@turnlog/core/backend', '@turnlog/core', '@turnlog/storage-kit'],
  conformance: ['@turnlog/core', '@turnlog/core/backend', '@turnlog/core/memory'],
}

async function importsOf(name: string): Promise<{ file: string; specifier: string; isType: boolean }[]> {
  const directory = join(packages, name, 'src')
  const files = (await readdir(directory, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const found: { file: string; specifier: string; isType: boolean }[] = []
  for (const file of files) {
    const text = await readFile(join(directory, file), 'utf8')
    for (const match of text.matchAll(
      /^(?:import|export) (type )?[^'"\n]*?(?:from )?'([^']+)'|^\} from '([^']+)'|import\('([^']+)'\)/gm,
    )) {
      const specifier = match[2] ?? match[3] ?? match[4] ?? ''
      found.push({ file, specifier, isType: match[1] !== undefined })
    }
  }
  return found
}

test.each(Object.keys(allowed))('%s imports only what lies below it', async (name) => {
  const ours = (await importsOf(name)).filter(
    ({ specifier }) => specifier.startsWith('@turnlog/') || specifier === 'turnlog',
  )
  const wrong = ours.filter(({ specifier }) => !allowed[name]?.includes(specifier))
  expect(wrong).toEqual([])
})

test('core uses node: modules only at run time, where there is Node', async () => {
  const node = (await importsOf('core')).filter(({ specifier, isType }) => specifier.startsWith('node:') && !isType)
  expect(node).toEqual([])
})
