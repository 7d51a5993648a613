import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { openStore } from 'turnlog'
import type { StoreWarning } from 'turnlog'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { BackendOptions } from '../../../core/src/backend/index.ts'
import { registerBackends } from '../../../core/src/config/register-backends.ts'
import { resolveBackend } from '../../../core/src/config/resolve-backend.ts'
import type { StoreConfig } from '../../../core/src/config/store-config.ts'
import { StoreError } from '../../../core/src/errors/store-error.ts'
import { memoryBackend } from '../../../core/src/memory/index.ts'
import { forgetRegistry, keepRegistry } from './keep-registry.ts'
import { fakeBackendSource } from './fake-backend-source.ts'

let directory: string
/** Stands for the configuration file of an application in `directory`. */
let configFile: string
let restoreRegistry: () => void

beforeEach(async () => {
  restoreRegistry = keepRegistry()
  directory = await mkdtemp(join(tmpdir(), 'turnlog-config-'))
  configFile = join(directory, 'turnlog.config.json')
})

afterEach(async () => {
  restoreRegistry()
  await rm(directory, { recursive: true })
})

async function install(name: string, files: Record<string, string>, manifest: object = {}): Promise<void> {
  const folder = join(directory, 'node_modules', name)
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js', ...manifest }),
  )
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
}

async function failure(config: unknown): Promise<StoreError> {
  return resolveBackend(config as StoreConfig).then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error as StoreError,
  )
}

describe('a backend is chosen', () => {
  test('as an instance, alone or in a configuration', async () => {
    const backend = memoryBackend()
    expect((await resolveBackend(backend)).backend).toBe(backend)
    const clock = { now: () => 0 }
    expect(await resolveBackend({ backend, clock })).toEqual({ backend, config: { backend, clock }, warnings: [] })
  })

  test('by a built-in name or a string', async () => {
    expect((await resolveBackend({ backend: 'memory' })).backend.name).toBe('memory')
    expect(await resolveBackend('memory:')).toMatchObject({ config: { backend: 'memory' }, warnings: [] })
  })

  test('by a factory, which gets path, durability and options in one object', async () => {
    let given: BackendOptions | undefined
    const backend = memoryBackend()
    const resolved = await resolveBackend({
      backend: async (options) => {
        given = options
        return backend
      },
      path: './data',
      durability: 'os',
      backendOptions: { size: 3 },
    })
    expect(resolved.backend).toBe(backend)
    expect(given).toEqual({ path: './data', durability: 'os', size: 3 })
  })

  test('as leveldb if there is only a path', async () => {
    let given: BackendOptions | undefined
    const create = (options: BackendOptions): unknown => {
      given = options
      return memoryBackend()
    }
    registerBackends({ leveldb: async () => ({ backend: { name: 'leveldb', contract: 1, create } }) })
    await resolveBackend('./data')
    expect(given).toEqual({ path: './data' })
  })

  test('by the name it was registered with, in every copy of core in the process', async () => {
    const { backend } = await import('../../../core/src/memory/index.ts')
    const registry = (globalThis as never)[Symbol.for('turnlog.backends')] as Map<string, unknown>
    registry.set('mine', async () => ({ backend }))
    expect((await resolveBackend({ backend: 'mine' } as never)).backend.name).toBe('memory')
  })

  test('as a package that the configuration file sees', async () => {
    await install('some-backend', { 'index.js': fakeBackendSource('some') })
    const { backend } = await resolveBackend({ backend: 'some-backend', configFile, backendOptions: { size: 3 } })
    expect(backend).toMatchObject({ name: 'some', options: { size: 3 } })
  })

  test('as a package with an entry for import alone, or for a subpath', async () => {
    const exports = {
      '.': { types: './index.d.ts', import: './index.js' },
      './other': { node: { import: './other.js' } },
    }
    const files = { 'index.js': fakeBackendSource('main'), 'other.js': fakeBackendSource('other') }
    await install('@scope/backend', files, { exports })
    expect((await resolveBackend({ backend: '@scope/backend', configFile })).backend.name).toBe('main')
    expect((await resolveBackend({ backend: '@scope/backend/other', configFile })).backend.name).toBe('other')
  })

  test('as a file relative to the configuration file, which may be given as a URL', async () => {
    await writeFile(join(directory, 'mine.mjs'), fakeBackendSource('mine'))
    const { backend } = await resolveBackend({ backend: './mine.mjs', configFile: pathToFileURL(configFile).href })
    expect(backend.name).toBe('mine')
  })
})

describe('what cannot be had says why', () => {
  test('core by itself knows one name and says where the others are', async () => {
    forgetRegistry()
    expect((await resolveBackend('memory:')).backend.name).toBe('memory')
    expect(await failure({ path: 'd' })).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('Import openStore from "turnlog"'),
    })
    expect(await failure({ backend: 'leveldb', path: 'd' })).toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: expect.stringContaining('Import openStore from "turnlog"'),
    })
  })

  test('a misspelt name gives the nearest known one', async () => {
    const error = await failure({ backend: 'levledb', path: 'd', configFile })
    expect(error).toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: expect.stringMatching(/Did you mean "leveldb"\?$/),
    })
  })

  test.each(['redis', 'fs', 'toString'])('the unknown name %s gives the known ones', async (backend) => {
    expect(await failure({ backend, path: 'd', configFile })).toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: expect.stringContaining('Backends known by name: leveldb, jsonl, sqlite, memory'),
    })
  })

  test('a file that is not there is not found', async () => {
    expect(await failure({ backend: './mine.js', configFile })).toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: expect.stringContaining('There is no backend file "./mine.js"'),
    })
  })

  test('an installed backend without one of its dependencies does not load', async () => {
    await install('some-backend', { 'index.js': "import 'not-there-level'" })
    const error = await failure({ backend: 'some-backend', path: 'd', configFile })
    expect(error).toMatchObject({ code: 'BACKEND_LOAD_FAILED', cause: { code: 'ERR_MODULE_NOT_FOUND' } })
    expect(error.message).toContain('not-there-level')
    expect(error.message).not.toContain('npm install')
  })

  test('a native module that does not load says for which machine', async () => {
    const prelude = "import { createRequire } from 'node:module'\ncreateRequire(import.meta.url)('./binding.node')"
    const files = { 'index.js': fakeBackendSource('some', { prelude }), 'binding.node': 'no library' }
    await install('some-backend', files)
    const error = await failure({ backend: 'some-backend', path: 'd', configFile })
    expect(error).toMatchObject({ code: 'BACKEND_LOAD_FAILED', cause: { code: 'ERR_DLOPEN_FAILED' } })
    expect(error.message).toContain(`${process.platform}-${process.arch}`)
    expect(error.message).toContain(`Node ${process.versions.node}`)
    if (process.platform === 'linux') expect(error.message).toMatch(/glibc \d|musl/)
  })

  test('a native module that is loaded only on creation is told apart from bad options', async () => {
    const native = Object.assign(new Error('binding.node: invalid ELF header'), { code: 'ERR_DLOPEN_FAILED' })
    const failing = (error: Error) => ({
      path: 'd',
      backend: () => {
        throw error
      },
    })
    expect(await failure(failing(native))).toMatchObject({ code: 'BACKEND_LOAD_FAILED', cause: native })
    const bad = new TypeError('size must be a number')
    expect(await failure(failing(bad))).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('size must be a number'),
      cause: bad,
    })
    const own = new StoreError('INVALID_CONFIG', 'option "backendOptions.size" is -1')
    expect(await failure(failing(own))).toBe(own)
  })

  test('an installed package without its built files is not called missing', async () => {
    await install('some-backend', {})
    expect(await failure({ backend: 'some-backend', path: 'd', configFile })).toMatchObject({
      code: 'BACKEND_LOAD_FAILED',
      message: expect.stringMatching(
        /some-backend is installed, but its entry is missing\. Install it again, or build it\./,
      ),
    })
  })

  test('a registered loader that fails is not passed over', async () => {
    await install('@turnlog/leveldb-backend', { 'index.js': fakeBackendSource('leveldb') })
    const cause = new Error('broken')
    registerBackends({ leveldb: () => Promise.reject(cause) })
    expect(await failure({ path: 'd', configFile })).toMatchObject({ code: 'BACKEND_LOAD_FAILED', cause })
  })

  test('another contract version is named with the one that is needed', async () => {
    await install('some-backend', { 'index.js': fakeBackendSource('some', { contract: 2 }) })
    const message = expect.stringMatching(/implements version 2 of .* needs version 1/)
    expect(await failure({ backend: 'some-backend', configFile })).toMatchObject({ code: 'CONTRACT_MISMATCH', message })
    const backend = Object.assign(memoryBackend(), { contract: 2 })
    expect(await failure({ backend })).toMatchObject({ code: 'CONTRACT_MISMATCH', message })
    expect(await failure(backend)).toMatchObject({ code: 'CONTRACT_MISMATCH', message })
    expect(await failure({ backend: () => backend })).toMatchObject({ code: 'CONTRACT_MISMATCH', message })
  })

  test('a module without the export "backend" says what it exports', async () => {
    await install('some-backend', { 'index.js': 'export const store = 1\nexport const other = 2' })
    expect(await failure({ backend: 'some-backend', configFile })).toMatchObject({
      code: 'BACKEND_LOAD_FAILED',
      message: expect.stringContaining('exports only: other, store'),
    })
  })

  test('a definition without create and a factory without result are no backends', async () => {
    await install('some-backend', { 'index.js': "export const backend = { name: 'some', contract: 1 }" })
    expect(await failure({ backend: 'some-backend', configFile })).toMatchObject({ code: 'BACKEND_LOAD_FAILED' })
    expect(await failure({ backend: () => undefined })).toMatchObject({ code: 'BACKEND_LOAD_FAILED' })
  })
})

describe('a fallback', () => {
  const fallback = { backend: 'memory' } as const

  test('is not used unless it is asked for', async () => {
    expect(await failure({ backend: 'some-backend', path: 'd', configFile })).toMatchObject({
      code: 'BACKEND_NOT_FOUND',
    })
  })

  test.each(['absent', 'an empty directory'])('is used with a warning while the path is %s', async (state) => {
    if (state !== 'absent') await mkdir(join(directory, 'data'))
    const resolved = await resolveBackend({
      backend: 'some-backend',
      path: 'data',
      configFile,
      viewCacheBytes: 5,
      durability: 'os',
      fallback,
    })
    expect(resolved.backend.name).toBe('memory')
    expect(resolved.warnings).toMatchObject([
      { code: 'FALLBACK_USED', message: expect.stringContaining('There is no backend "some-backend"') },
    ])
    expect(resolved.config).toEqual({ configFile, viewCacheBytes: 5, fallback, backend: 'memory' })
  })

  test('is used if the backend does not load', async () => {
    await install('some-backend', { 'index.js': "throw new Error('No native build was found')" })
    const { warnings } = await resolveBackend({ backend: 'some-backend', path: 'data', configFile, fallback })
    expect(warnings).toMatchObject([{ code: 'FALLBACK_USED', message: expect.stringContaining('No native build') }])
  })

  test('is used if only opening shows that the backend does not load', async () => {
    const open = () => Promise.reject(new StoreError('BACKEND_LOAD_FAILED', 'No native build was found.'))
    const warnings: StoreWarning[] = []
    const onWarning = (warning: StoreWarning): void => void warnings.push(warning)
    const broken = () => Object.assign(memoryBackend(), { open })
    await using store = await openStore({ backend: broken, path: 'data', configFile, fallback, onWarning })
    expect(store.backend.name).toBe('memory')
    expect(warnings).toMatchObject([{ code: 'FALLBACK_USED', message: expect.stringContaining('No native build') }])
  })

  test.each(['a directory with files', 'a file'])('is refused while the path is %s', async (state) => {
    const path = join(directory, 'data')
    if (state === 'a file') await writeFile(path, '')
    else {
      await mkdir(path)
      await writeFile(join(path, 'CURRENT'), 'MANIFEST-000001')
    }
    expect(await failure({ backend: 'some-backend', path, configFile, fallback })).toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: expect.stringContaining('The fallback is not used'),
      cause: { code: 'BACKEND_NOT_FOUND' },
    })
  })

  test('is not used for bad options or another contract version', async () => {
    await install('some-backend', { 'index.js': fakeBackendSource('some', { contract: 2 }) })
    expect(await failure({ backend: 'some-backend', path: 'd', configFile, fallback })).toMatchObject({
      code: 'CONTRACT_MISMATCH',
    })
    const backend = () => {
      throw new Error('bad size')
    }
    expect(await failure({ backend, path: 'd', configFile, fallback })).toMatchObject({ code: 'INVALID_CONFIG' })
  })

  test('that fails as well gives both reasons', async () => {
    const config = { backend: 'some-backend', path: 'd', configFile, fallback: { backend: 'other-backend', path: 'e' } }
    expect(await failure(config)).toMatchObject({
      code: 'BACKEND_NOT_FOUND',
      message: expect.stringMatching(/some-backend.*failed as well.*other-backend/),
      cause: { errors: [{ code: 'BACKEND_NOT_FOUND' }, { code: 'BACKEND_NOT_FOUND' }] },
    })
  })

  test('that holds sessions is reported when the first choice works again', async () => {
    await install('some-backend', { 'index.js': fakeBackendSource('some') })
    const config: StoreConfig = {
      backend: 'some-backend',
      path: 'd',
      configFile,
      fallback: { backend: 'jsonl', path: 'e' },
    }
    expect((await resolveBackend(config)).warnings).toEqual([])
    await mkdir(join(directory, 'e'))
    await writeFile(join(directory, 'e', 'a.jsonl'), '{}')
    const { backend, warnings } = await resolveBackend(config)
    expect(backend.name).toBe('some')
    expect(warnings).toMatchObject([
      { code: 'FALLBACK_HOLDS_STORE', message: expect.stringContaining(JSON.stringify(join(directory, 'e'))) },
    ])
  })
})
