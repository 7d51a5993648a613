import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { fakeBackendSource } from './fake-backend-source.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../..', import.meta.url))
const PNPM = ['--yes', 'pnpm@10.34.9']

/** Says which backend was opened, or why none was. */
const SCRIPT = `
import { openStore } from 'turnlog'
try {
  const store = await openStore(JSON.parse(process.argv[2]))
  console.log('opened ' + store.backend.name)
  await store.close()
} catch (error) {
  console.log(error.code + ' ' + error.message)
}
`

let directory: string
/** By package. */
let tarballs: Readonly<Record<string, string>>

/** Without the variables of the script that started the tests, which would name its own packages and settings. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'NODE_PATH' && !/^npm_(?!config_registry)/i.test(name)),
)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnlog-layout-'))
  const packed = join(directory, 'packed')
  const pack = ['--filter', 'turnlog...', 'pack', '--pack-destination', packed]
  await run('npx', [...PNPM, ...pack], { cwd: root, env: environment })
  const other = join(directory, 'other-backend')
  await mkdir(other)
  await writeFile(join(other, 'index.js'), fakeBackendSource('other', { prelude: "import '@turnlog/core/backend'" }))
  const manifest = {
    name: 'other-backend',
    version: '0.1.0',
    type: 'module',
    exports: './index.js',
    peerDependencies: { '@turnlog/core': '>=0.1.0' },
  }
  await writeFile(join(other, 'package.json'), JSON.stringify(manifest))
  await run('npx', [...PNPM, 'pack', '--pack-destination', packed], { cwd: other, env: environment })
  const files = await readdir(packed)
  tarballs = Object.fromEntries(
    files.map((file) => [file.replace(/-0\.1\.0\.tgz$/, '').replace(/^turnlog-/, '@turnlog/'), join(packed, file)]),
  )
}, 300_000)

afterAll(() => rm(directory, { recursive: true }))

/**
 * With pnpm the application is a package of a workspace, and nothing is hoisted: only then do the packages, which lie in
 * the workspace's own store, see nothing of what the application depends on.
 */
async function install(manager: string): Promise<string> {
  const workspace = await mkdtemp(join(directory, 'workspace-'))
  const app = manager === 'npm' ? workspace : join(workspace, 'app')
  await mkdir(app, { recursive: true })
  const own = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]))
  const { turnlog, 'other-backend': other } = own
  // npm takes a package of the workspace only from the application itself, not from the registry.
  const dependencies =
    manager === 'npm' ? own : { turnlog, 'other-backend': other, '@turnlog/core': own['@turnlog/core'] }
  const manifest = { name: 'app', private: true, type: 'module', dependencies }
  await writeFile(join(app, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(app, 'main.js'), SCRIPT)
  const options = { cwd: workspace, env: environment }
  if (manager === 'npm') {
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], options)
  } else {
    const overrides = Object.entries(own).map(([name, file]) => `  '${name}': ${file}\n`)
    const settings = `packages: [app]\nhoist: false\nstrictDepBuilds: false\noverrides:\n${overrides.join('')}`
    await writeFile(join(workspace, 'pnpm-workspace.yaml'), settings)
    await run('npx', [...PNPM, 'install', '--prefer-offline'], options)
  }
  return app
}

async function openIn(app: string, config: object | string, cwd = app): Promise<string> {
  const { stdout } = await run(process.execPath, [join(app, 'main.js'), JSON.stringify(config)], {
    cwd,
    env: environment,
  })
  return stdout.trim()
}

describe.each(['npm', 'pnpm'])('packages packed and installed by %s', (manager) => {
  let app: string

  beforeAll(async () => {
    app = await install(manager)
  }, 300_000)

  test('the backends of turnlog are found from any working directory', async () => {
    expect(await openIn(app, 'jsonl:./data')).toBe('opened jsonl')
    expect(await openIn(app, './level')).toBe('opened leveldb')
    expect(await openIn(app, { backend: 'jsonl', path: 'elsewhere' }, directory)).toBe('opened jsonl')
  })

  test('a backend that the application depends on is found where its configuration lies', async () => {
    expect(await openIn(app, { backend: 'other-backend', path: 'data' })).toBe('opened other')
    const configFile = join(app, 'turnlog.config.json')
    expect(await openIn(app, { backend: 'other-backend', path: 'data', configFile }, directory)).toBe('opened other')
    expect(await openIn(app, { backend: 'other-backend', path: 'data' }, directory)).toMatch(/^BACKEND_NOT_FOUND /)
  })

  test('a backend that is not installed is not found', async () => {
    expect(await openIn(app, { backend: 'third-backend', path: 'data' })).toMatch(/^BACKEND_NOT_FOUND /)
  })
})
