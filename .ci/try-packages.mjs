// Packs every package, installs the tarballs into empty projects with npm, pnpm and yarn (1 and 4), and uses them as a
// newcomer would: on Node 20, 22 and 24, after kill -9, with the command, and type-checked under node16 and bundler
// resolution. Needs the registry. Not a part of `npm test`.
// Usage: node .ci/try-packages.mjs [npm|pnpm|yarn1|yarn4 ...]
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = readdirSync(new URL('../packages/', import.meta.url))
const NODES = ['20', '22', '24']
const PNPM = ['npx', '--yes', 'pnpm@10.34.9']
const YARN_1 = ['npx', '--yes', 'yarn@1.22.22']
const YARN_4 = ['npx', '--yes', '--package', '@yarnpkg/cli-dist@4.18.1', 'yarn']
const YARN_4_SETTINGS = `nodeLinker: node-modules
enableTelemetry: false
enableGlobalCache: false
enableImmutableInstalls: false
`
const root = fileURLToPath(new URL('../', import.meta.url))

const WRITE = `import { openStore } from 'turnlog'

const store = await openStore(process.argv[2])
await store.addMessage('telegram:42', 'user', 'Find a train to Rome')
await store.addMessage('telegram:42', 'assistant', 'At 08:10 or 12:40.')
await store.truncateHistory('telegram:42', 1)
process.kill(process.pid, 'SIGKILL')
`

const READ = `import { isStoreError, openStore } from 'turnlog'

const store = await openStore(process.argv[2])
const history = await store.getHistory('telegram:42')
const events = []
for await (const { type } of store.events('telegram:42')) events.push(type)
await store.restore('telegram:42', { at: 2 })
const restored = await store.getHistory('telegram:42')
await store.close()
if (history.length !== 1 || restored.length !== 2 || events.length !== 3) throw new Error('Something is missing.')
if (isStoreError(new Error('x'))) throw new Error('Not one of ours.')
`

const TYPES = `import { jsonlBackend, leveldbBackend, memoryBackend, openStore, type SessionStore, type StoreErrorCode } from 'turnlog'
import { openStore as openCore } from '@turnlog/core'
import type { Backend } from '@turnlog/core/backend'
import { copyStore } from '@turnlog/transfer'
import { migrateDirectory } from '@turnlog/importers'

interface Chat { role: 'user' | 'assistant'; content: string }
export async function main(): Promise<void> {
  const store: SessionStore<Chat> = await openStore<Chat>({ backend: 'leveldb', path: './x', durability: 'os' })
  const { version }: { version: number } = await store.addMessage('a', { role: 'user', content: 'b' })
  const backends: Backend[] = [leveldbBackend({ path: '.' }), jsonlBackend({ path: '.' }), memoryBackend()]
  const code: StoreErrorCode = 'CONFLICT'
  // @ts-expect-error a role that the message type does not have
  await store.addMessage('a', { role: 'robot', content: 'b' })
  console.log(version, backends, code, openCore, copyStore, migrateDirectory)
}
`

const work = mkdtempSync(join(tmpdir(), 'turnlog-packages-'))
const results = []

try {
  const tarballs = pack()
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : ['npm', 'pnpm', 'yarn1', 'yarn4']
  for (const manager of wanted) {
    const project = join(work, manager)
    mkdirSync(project)
    if (check(`${manager} install`, () => install(manager, project, tarballs))) tryProject(manager, project)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

for (const { name, error } of results)
  console.log(`${error === undefined ? 'ok    ' : 'FAILED'} ${name}${error === undefined ? '' : `\n${error}`}`)
process.exitCode = results.some(({ error }) => error !== undefined) ? 1 : 0

function pack() {
  const directory = join(work, 'tarballs')
  mkdirSync(directory)
  const tarballs = {}
  for (const name of PACKAGES) {
    const cwd = join(root, 'packages', name)
    run([...PNPM, 'pack', '--pack-destination', directory], cwd)
    const manifest = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
    const file = readdirSync(directory).find(
      (tarball) => tarball === `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`,
    )
    if (file === undefined) throw new Error(`${name} was not packed.`)
    tarballs[manifest.name] = `file:${join(directory, file)}`
  }
  return tarballs
}

function install(manager, project, tarballs) {
  const { turnlog, '@turnlog/core': core, '@turnlog/transfer': transfer, '@turnlog/importers': importers } = tarballs
  const imported = { turnlog, '@turnlog/core': core, '@turnlog/transfer': transfer, '@turnlog/importers': importers }
  // The packages are not in a registry yet, so each manager is told where the inner ones are.
  const manifest = {
    name: 'newcomer',
    private: true,
    type: 'module',
    dependencies: manager === 'npm' ? tarballs : imported,
    devDependencies: { typescript: '5.9.3', '@types/node': '^20' },
    ...(manager === 'pnpm' ? { pnpm: { overrides: tarballs } } : {}),
    ...(manager.startsWith('yarn') ? { resolutions: { ...tarballs, ...withoutAccelerator() } } : {}),
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest, undefined, 2))
  if (manager === 'yarn4') {
    writeFileSync(join(project, '.yarnrc.yml'), YARN_4_SETTINGS)
    writeFileSync(join(project, 'yarn.lock'), '') // or a project further up would be taken for its root
  }
  const commands = {
    npm: ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error'],
    pnpm: [...PNPM, 'install', '--ignore-workspace'],
    yarn1: [...YARN_1, 'install', '--non-interactive', '--silent', '--cache-folder', join(work, 'yarn-cache')],
    yarn4: [...YARN_4, 'install'],
  }
  run(commands[manager], project)
}

/**
 * Yarn looks up the optional packages of every platform, whatever it is told to ignore, and fails if a registry has only
 * those of this one. Then msgpackr goes without its native accelerator, as it does wherever that cannot be built.
 */
function withoutAccelerator() {
  const view = (...args) => spawnSync('npm', ['view', ...args], { encoding: 'utf8' }).stdout.trim()
  const platforms = Object.entries(JSON.parse(view('msgpackr-extract', 'optionalDependencies', '--json')))
  if (platforms.every(([name, version]) => view(`${name}@${version}`, 'version') !== '')) return {}
  process.stderr.write('  without msgpackr-extract: the registry has it for some platforms only\n')
  const directory = join(work, 'msgpackr-extract')
  mkdirSync(directory, { recursive: true })
  writeFileSync(
    join(directory, 'package.json'),
    '{ "name": "msgpackr-extract", "version": "3.0.7", "main": "index.js" }',
  )
  writeFileSync(join(directory, 'index.js'), "throw new Error('left out')\n")
  return { 'msgpackr-extract': `file:${directory}` }
}

function tryProject(manager, project) {
  writeFileSync(join(project, 'write.mjs'), WRITE)
  writeFileSync(join(project, 'read.mjs'), READ)
  writeFileSync(join(project, 'types.ts'), TYPES)
  for (const version of NODES) {
    const node = ['npx', '--yes', `node@${version}`]
    for (const backend of ['leveldb', 'jsonl']) {
      check(`${manager}, node ${version}, ${backend}: a message survives kill -9`, () => {
        const store = `${backend}:./${backend}-${version}`
        run([...node, 'write.mjs', store], project, { mayBeKilled: true })
        run([...node, 'read.mjs', store], project)
        const bin = join(project, 'node_modules', 'turnlog', 'dist', 'bin.js')
        const shown = run([...node, bin, 'show', 'telegram:42', '--store', store], project)
        if (!shown.includes('Find a train to Rome')) throw new Error(`turnlog show gave: ${shown}`)
        run([...node, bin, 'verify', '--store', store], project)
      })
    }
  }
  check(`${manager}: the command is found`, () => {
    const shim = join(project, 'node_modules', '.bin', 'turnlog')
    run([shim, 'doctor'], project)
  })
  for (const [module, moduleResolution] of [
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ]) {
    check(`${manager}: types under ${moduleResolution}`, () => {
      const options = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,esnext.disposable']
      const tsc = join(project, 'node_modules', '.bin', 'tsc')
      run([tsc, ...options, '--module', module, '--moduleResolution', moduleResolution, 'types.ts'], project)
    })
  }
}

function check(name, attempt) {
  process.stderr.write(`… ${name}\n`)
  try {
    attempt()
    results.push({ name })
    return true
  } catch (error) {
    results.push({ name, error: error.message })
    return false
  }
}

function run([program, ...args], cwd, { mayBeKilled = false } = {}) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (error !== undefined) throw error
  // npx reports a killed child as an exit code of its own.
  if (mayBeKilled && (signal === 'SIGKILL' || status !== 0)) return stdout
  if (mayBeKilled) throw new Error('The process was not killed.')
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status ?? signal}:\n${stdout}${stderr}`)
  return stdout
}
