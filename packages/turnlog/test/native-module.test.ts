import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

const packages = join(import.meta.dirname, '../..')

const SCRIPT = `
import { openStore, leveldbBackend } from 'turnlog'

async function attempt(config) {
  try {
    const store = await openStore(config)
    await store.addMessage('telegram:42', 'user', 'Hello')
    const { length } = await store.getHistory('telegram:42')
    await store.close()
    return length
  } catch ({ code, message }) {
    return { code, message }
  }
}
const [directory] = process.argv.slice(2)
const onWarning = ({ code }) => warnings.push(code)
const warnings = []
console.log(JSON.stringify({
  memory: await attempt('memory:'),
  jsonl: await attempt('jsonl:' + directory + '/jsonl'),
  named: await attempt(directory + '/level'),
  instance: await attempt(leveldbBackend({ path: directory + '/level' })),
  fallback: await attempt({ path: directory + '/other', fallback: { backend: 'memory' }, onWarning }),
  warnings,
}))
`

/** A project in which the native module of LevelDB is there, but its binary is not, or cannot be loaded. */
function projectWithBinary(state: 'missing' | 'damaged'): string {
  const project = mkdtempSync(join(tmpdir(), 'turnlog-native-'))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, '@turnlog'), { recursive: true })
  const place = (from: string, name: string, isCopy: boolean): void => {
    const target = join(modules, name)
    if (!isCopy) return symlinkSync(realpathSync(from), target)
    cpSync(realpathSync(from), target, {
      recursive: true,
      filter: (path) => !/[\\/](?:src|test|prebuilds|node_modules)$/.test(path),
    })
  }
  const level = realpathSync(join(packages, 'leveldb-backend/node_modules/classic-level'))
  for (const name of ['abstract-level', 'module-error', 'node-gyp-build'])
    place(join(dirname(level), name), name, false)
  place(level, 'classic-level', true)
  if (state === 'damaged') {
    const prebuilds = join(modules, 'classic-level/prebuilds', `${process.platform}-${process.arch}`)
    mkdirSync(prebuilds, { recursive: true })
    writeFileSync(join(prebuilds, 'classic-level.node'), 'no machine code')
  }
  for (const name of ['lru-cache', 'msgpackr']) place(join(packages, 'leveldb-backend/node_modules', name), name, false)
  for (const name of ['leveldb-backend', 'jsonl-backend', 'storage-kit', 'leveldb-files', 'core']) {
    place(join(packages, name), `@turnlog/${name}`, name === 'leveldb-backend')
  }
  for (const name of ['messages', 'transfer', 'importers', 'adapters', 'conformance']) {
    place(join(packages, name), `@turnlog/${name}`, false)
  }
  place(join(packages, 'turnlog'), 'turnlog', true)
  writeFileSync(join(project, 'main.mjs'), SCRIPT)
  return project
}

const STATES = ['missing', 'damaged'] as const

test.each(STATES)('while its native module is %s LevelDB is BACKEND_LOAD_FAILED, and all else works', async (state) => {
  const project = projectWithBinary(state)
  const { stdout } = await promisify(execFile)(process.execPath, [join(project, 'main.mjs'), project])
  const failed = { code: 'BACKEND_LOAD_FAILED', message: expect.stringContaining('native module') }
  expect(JSON.parse(stdout)).toEqual({
    memory: 1,
    jsonl: 1,
    named: failed,
    instance: failed,
    fallback: 1,
    warnings: ['FALLBACK_USED'],
  })
})
