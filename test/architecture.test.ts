import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

import { describe, expect, test } from 'vitest'

const packages = fileURLToPath(new URL('../packages', import.meta.url))

/**
 * The architecture, from the bottom up. A package imports only packages of lines above its own, and a folder only
 * folders of lines above its own; what shares a line does not know the others. Types count like values.
 */
const PACKAGES: readonly string[] = [
  'leveldb-files messages', // formats of others
  'core',
  'adapters importers storage-kit transfer', // what stands on core
  'conformance',
  'jsonl-backend leveldb-backend sqlite-backend',
  'turnlog', // puts everything together
]

/** `(files)` are the files beside the folders: the entry and what has only one file. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  messages: ['formats', 'describe pairs redact', 'apis', '(files)'],
  core: [
    'errors',
    'ids json keys runtime', // runtime: clock, warnings, and Node where there is Node
    'diagnostics normalise',
    'backend',
    'events memory',
    'view',
    'limits', // how large a session may become
    'plan',
    'queue',
    'cache watch',
    'store',
    'retention',
    'config',
    '(files)', // openStore puts store, backend and retention together
  ],
  'storage-kit': ['flow memory process-lock', 'files', '(files)'],
  transfer: ['(files)'],
  importers: ['legacy', '(files)'],
  adapters: ['session-manager', '(files)'],
  'leveldb-files': ['(files)'],
  'jsonl-backend': [
    'file-system format options',
    'append lock read recovery wake',
    'session-index',
    'sessions',
    'open',
    'maintenance',
    '(files)',
  ],
  'leveldb-backend': [
    'options',
    'database', // LevelDB itself, and its errors
    'format lock',
    'files',
    'open',
    'cache read', // cache: the sessions in memory
    'append',
    'sessions', // trim and erase: they append deletions
    'maintenance',
    '(files)',
  ],
  'sqlite-backend': [
    'database',
    'format options',
    'open read',
    'append sessions',
    'maintenance',
    'worker', // the thread that has the database, and what is asked of it
    '(files)',
  ],
  conformance: [
    'context fuzz', // context: what a case is, and what it is given
    'probe report',
    'child', // other processes and threads
    'model',
    'cases',
    '(files)',
  ],
  turnlog: [
    'backends output',
    'store',
    'context doctor', // context: what a command has at hand, and how it ends
    'commands',
    '(files)',
  ],
}

interface Import {
  readonly file: string
  readonly specifier: string
}

async function importsOf(name: string): Promise<readonly Import[]> {
  const directory = join(packages, name, 'src')
  const files = (await readdir(directory, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const found = await Promise.all(
    files.map(async (file) => {
      const text = (await readFile(join(directory, file), 'utf8')).replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
      const specifiers = text.matchAll(/(?:^|\s)(?:from|import|import\()\s?'([^']+)'/g)
      return Array.from(specifiers, ([, specifier = '']) => ({ file, specifier }))
    }),
  )
  return found.flat()
}

/** Which line a name stands on, `-1` for none. */
function lineOf(name: string, lines: readonly string[]): number {
  return lines.findIndex((line) => line.split(' ').includes(name))
}

function isBelow(name: string, other: string, lines: readonly string[]): boolean {
  return lineOf(name, lines) >= 0 && lineOf(name, lines) < lineOf(other, lines)
}

const PACKAGE = /^@turnlog\/([^/]+)|^(turnlog)$/

test('every package has a place in the architecture', async () => {
  const known = PACKAGES.flatMap((line) => line.split(' '))
  expect(known.sort()).toEqual((await readdir(packages)).sort())
})

test.each(PACKAGES.flatMap((line) => line.split(' ')))(
  'the package %s imports only packages below it',
  async (name) => {
    const wrong = (await importsOf(name)).filter(({ specifier }) => {
      const [, scoped, main] = PACKAGE.exec(specifier) ?? []
      const other = scoped ?? main
      return other !== undefined && !isBelow(other, name, PACKAGES)
    })
    expect(wrong).toEqual([])
  },
)

describe.each(Object.entries(FOLDERS))('in the package %s', (name, lines) => {
  test('every folder has a place', async () => {
    const entries = await readdir(join(packages, name, 'src'), { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
    expect(lines.flatMap((line) => line.split(' ')).sort()).toEqual([...folders, '(files)'].sort())
  })

  test('a folder imports only folders below it', async () => {
    const source = join(packages, name, 'src')
    const folderOf = (file: string): string => (file.includes(sep) ? (file.split(sep)[0] as string) : '(files)')
    const wrong = (await importsOf(name)).filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false
      const other = folderOf(relative(source, join(source, dirname(file), specifier)))
      return other !== folderOf(file) && !isBelow(other, folderOf(file), lines)
    })
    expect(wrong.map(({ file, specifier }) => `${file} -> ${specifier}`).sort()).toEqual([])
  })
})

test('core takes modules of Node in one place, where it asks for them at run time', async () => {
  const node = (await importsOf('core')).filter(({ specifier }) => specifier.startsWith('node:'))
  expect([...new Set(node.map(({ file }) => file))]).toEqual([join('runtime', 'node-modules.ts')])
})
