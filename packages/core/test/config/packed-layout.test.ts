import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { build } from 'esbuild'
import type { BuildOptions } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { fakeBackendSource } from './fake-backend-source.ts'

const run = promisify(execFile)
const core = fileURLToPath(new URL('../..', import.meta.url))
const messages = fileURLToPath(new URL('../../../messages', import.meta.url))
const PNPM = ['--yes', 'pnpm@10.34.9']

/** Opens nothing: says which backend was made, or why not. The bare import is what an application would write. */
const SCRIPT = `
import '@turnlog/core'
import { resolveBackend } from './node_modules/@turnlog/core/dist/config/resolve-backend.js'
try {
  const { backend } = await resolveBackend(JSON.parse(process.argv[2]))
  console.log('made ' + backend.name)
} catch (error) {
  console.log(error.code + ' ' + error.message)
}
`

let directory: string
let tarballs: Record<'core' | 'messages' | 'jsonl', string>

/** Without the variables of the script that started the tests, which would name its own packages and settings. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_PATH' && !/^npm_(?!config_registry)/i.test(name)),
)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnlog-layout-'))
  const jsonl = join(directory, 'jsonl-backend')
  await mkdir(jsonl)
  await writeFile(
    join(jsonl, 'index.js'),
    fakeBackendSource('jsonl', { prelude: "import 'node:fs'\nimport '@turnlog/core/backend'" }),
  )
  await writeFile(
    join(jsonl, 'package.json'),
    JSON.stringify({
      name: '@turnlog/jsonl-backend',
      version: '0.1.0',
      type: 'module',
      exports: './index.js',
      peerDependencies: { '@turnlog/core': '>=0.1.0' },
    }),
  )
  tarballs = {
    core: await pack(core, 'core'),
    messages: await pack(messages, 'messages'),
    jsonl: await pack(jsonl, 'jsonl'),
  }
})

afterAll(() => rm(directory, { recursive: true }))

async function pack(folder: string, name: string): Promise<string> {
  const destination = join(directory, `packed-${name}`)
  await run('npx', [...PNPM, 'pack', '--pack-destination', destination], {
    cwd: folder,
    env: environment,
  })
  const [file] = await readdir(destination)
  return join(destination, String(file))
}

/**
 * With pnpm the application is a package of a workspace, and nothing is hoisted: only then is core, which lies in the
 * workspace's own store, unable to see what the application depends on.
 */
async function install(manager: string, names: readonly (keyof typeof tarballs)[]): Promise<string> {
  const workspace = await mkdtemp(join(directory, 'workspace-'))
  const app = manager === 'npm' ? workspace : join(workspace, 'app')
  await mkdir(app, { recursive: true })
  const dependencies = Object.fromEntries(
    names.map((name) => [name === 'jsonl' ? '@turnlog/jsonl-backend' : `@turnlog/${name}`, `file:${tarballs[name]}`]),
  )
  await writeFile(
    join(app, 'package.json'),
    JSON.stringify({ name: 'app', private: true, type: 'module', dependencies }),
  )
  await writeFile(join(app, 'main.js'), SCRIPT)
  const options = { cwd: workspace, env: environment }
  if (manager === 'npm') {
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], options)
  } else {
    await writeFile(
      join(workspace, 'pnpm-workspace.yaml'),
      `packages: [app]\nhoist: false\noverrides:\n  '@turnlog/messages': file:${tarballs.messages}\n`,
    )
    await run('npx', [...PNPM, 'install', '--prefer-offline'], options)
  }
  return app
}

async function resolveIn(app: string, config: object, cwd = app): Promise<string> {
  const { stdout } = await run(process.execPath, [join(app, 'main.js'), JSON.stringify(config)], {
    cwd,
    env: environment,
  })
  return stdout.trim()
}

describe.each(['npm', 'pnpm'])('packages packed and installed by %s', (manager) => {
  let app: string

  beforeAll(async () => {
    app = await install(manager, ['messages', 'core', 'jsonl'])
  })

  test('a backend beside core is found by its name', async () => {
    expect(await resolveIn(app, { backend: 'jsonl', path: 'data' })).toBe('made jsonl')
    expect(await resolveIn(app, 'jsonl:./data' as never)).toBe('made jsonl')
    expect(await resolveIn(app, { backend: '@turnlog/jsonl-backend', path: 'data' })).toBe('made jsonl')
    expect(await resolveIn(app, { backend: 'leveldb', path: 'data' })).toMatch(
      /^BACKEND_NOT_FOUND .*npm install @turnlog\/leveldb-backend$/,
    )
    const elsewhere = {
      backend: 'jsonl',
      path: 'data',
      configFile: join(app, 'turnlog.config.json'),
    }
    expect(await resolveIn(app, elsewhere, directory)).toBe('made jsonl')
  })

  test('a backend is found from any working directory, and its absence is still told', async () => {
    expect(await resolveIn(app, { backend: 'jsonl', path: 'data' }, directory)).toBe('made jsonl')
    const alone = await install(manager, ['messages', 'core'])
    expect(await resolveIn(alone, { backend: 'jsonl', path: 'data' })).toMatch(/^BACKEND_NOT_FOUND /)
  })

  test('core bundles for browsers beside a backend that cannot', async () => {
    const entry = join(app, 'node_modules/@turnlog/core/dist/config/resolve-backend.js')
    const options = {
      entryPoints: [entry],
      bundle: true,
      write: false,
      logLevel: 'silent',
      format: 'esm',
    } satisfies BuildOptions
    const { outputFiles } = await build({ ...options, platform: 'browser' })
    expect(outputFiles[0]?.text).not.toContain('name: "jsonl"')
    const server = await build({ ...options, platform: 'node' })
    expect(server.outputFiles[0]?.text).toContain('name: "jsonl"')
  })
})
