import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

interface Block {
  readonly document: string
  readonly line: number
  readonly code: string
}

/** Every block of code that says it is JavaScript or TypeScript. Anything that is not to be run says `text`. */
async function blocksOf(document: string): Promise<Block[]> {
  const text = await readFile(join(root, document), 'utf8')
  return Array.from(text.matchAll(/^```(?:js|ts|javascript|typescript)\n(.*?)^```$/gms), (match) => ({
    document,
    line: text.slice(0, match.index).split('\n').length,
    code: match[1] as string,
  }))
}

/** Run in their own package, where its name and that of core are found. */
const packagePages = ['messages', 'core', 'leveldb-backend', 'jsonl-backend', 'turnlog'].map(
  (name) => `packages/${name}/README.md`,
)
const documents = [
  'README.md',
  ...packagePages,
  ...(await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
]
// The backend of that page is several files that need each other; the conformance package runs them as a whole.
const blocks = (await Promise.all(documents.map(blocksOf)))
  .flat()
  .filter(({ document }) => document !== 'docs/writing-a-backend.md')

const PAGES_WITHOUT_CODE = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'bench/what-was-learnt.md',
]

describe('code in the documents', () => {
  const directories = new Map<string, string>()

  beforeAll(async () => {
    // Inside a package, so that imports are found as a user's project would find them.
    for (const place of ['examples', ...packagePages.map((page) => dirname(page))]) {
      directories.set(place, await mkdtemp(join(root, place, '.run-')))
    }
  })

  afterAll(() =>
    Promise.all(Array.from(directories.values(), (directory) => rm(directory, { recursive: true, force: true }))),
  )

  test.each(blocks.map((block) => [`${block.document}:${block.line}`, block] as const))(
    '%s runs',
    async (name, { document, code }) => {
      const { code: plain } = await transform(code, { loader: 'ts', format: 'esm', target: 'node20' })
      const directory = directories.get(dirname(document)) ?? directories.get('examples')
      const place = await mkdtemp(join(directory as string, 'block-'))
      const file = join(place, 'block.mjs')
      await writeFile(file, plain)
      const { stderr } = await run(process.execPath, ['--no-warnings', file], { cwd: place, timeout: 30_000 }).catch(
        (error: unknown) => {
          throw new Error(`${name} failed:\n${(error as { stderr?: string }).stderr}`)
        },
      )
      expect(stderr).toBe('')
    },
  )
})

test('the first code of the README is the quick start, word for word', async () => {
  const quickStart = await readFile(join(root, 'examples/quick-start.mjs'), 'utf8')
  expect((await blocksOf('README.md'))[0]?.code).toBe(quickStart)
})

test('links between documents lead somewhere', async () => {
  const missing: string[] = []
  for (const document of [...documents, ...PAGES_WITHOUT_CODE]) {
    const text = await readFile(join(root, document), 'utf8')
    for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      const path = join(root, document, '..', target as string)
      if (!(await exists(path))) missing.push(`${document}: ${target}`)
    }
  }
  expect(missing).toEqual([])
})

test('the files to open first are there, and every package has one', async () => {
  const text = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')
  const rows = Array.from(
    text.matchAll(/^\| `([a-z-]+)` \| `(src\/[^`]+)` \|/gm),
    ([, name, file]) => [name, file] as const,
  )
  const missing: unknown[] = []
  for (const [name = '', file = ''] of rows) {
    const places = [join(root, 'packages', name, file), join(root, name, file)]
    if (!(await Promise.all(places.map(exists))).includes(true)) missing.push([name, file])
  }
  expect(missing).toEqual([])
  const named = new Set(rows.map(([name]) => name))
  expect((await manifests()).map(([name]) => name).filter((name) => !named.has(name))).toEqual([])
})

test('every package can be built and tested from its own directory', async () => {
  for (const [name, { scripts }] of await manifests()) {
    expect(Object.keys(scripts ?? {}), name).toEqual(expect.arrayContaining(['build', 'test']))
  }
})

type Manifest = { readonly scripts?: Readonly<Record<string, string>> }

async function manifests(): Promise<[string, Manifest][]> {
  const found: [string, Manifest][] = []
  for (const name of await readdir(join(root, 'packages'))) {
    const file = join(root, 'packages', name, 'package.json')
    if (await exists(file)) found.push([name, JSON.parse(await readFile(file, 'utf8')) as Manifest])
  }
  return found
}

async function exists(path: string): Promise<boolean> {
  const { access } = await import('node:fs/promises')
  return access(path).then(
    () => true,
    () => false,
  )
}

test('every error code is explained in docs/errors.md, and no other', async () => {
  const source = await readFile(join(root, 'packages/core/src/errors/store-error.ts'), 'utf8')
  const union = source.slice(source.indexOf('StoreErrorCode ='), source.indexOf('/** What a program'))
  const codes = Array.from(union.matchAll(/'([A-Z_]+)'/g), ([, code]) => code)
  const text = await readFile(join(root, 'docs/errors.md'), 'utf8')
  expect(Array.from(text.matchAll(/^\| `([A-Z_]+)`/gm), ([, code]) => code)).toEqual(codes)
})
