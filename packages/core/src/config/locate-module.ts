import { StoreError } from '../errors/store-error.ts'
import { nodeModules } from './node-modules.ts'
import type { NodeModules } from './node-modules.ts'

/** What Node asks a package for when it is imported. */
const CONDITIONS: ReadonlySet<string> = new Set(['node', 'import', 'module-sync', 'default'])

/**
 * The URL of the module that `specifier` means in the file `base`, or `undefined` if nothing of that name is there.
 * Found without running it, so that "not installed" and "installed but does not load" are never confused.
 *
 * @throws `BACKEND_LOAD_FAILED` if the package is there, but has no such entry
 */
export function locateModule(specifier: string, base: string | undefined): string | undefined {
  const node = nodeModules()
  // Within some bundles a module does not know where it is.
  if (node === undefined || base === undefined || !/^(?:file:|\/|[A-Za-z]:[\\/])/.test(base)) return undefined
  const require = node.module.createRequire(base)
  const isFile = /^(?:\.{1,2}\/|\/|file:|[A-Za-z]:[\\/])/.test(specifier)
  const [name, subpath] = splitSpecifier(specifier)
  const folder = isFile ? undefined : packageFolder(name, base, node)
  // With Yarn's Plug'n'Play packages have no folders; there `resolve` alone knows.
  if (!isFile && folder === undefined && process.versions['pnp'] === undefined) return undefined
  try {
    const found = require.resolve(specifier.startsWith('file:') ? node.url.fileURLToPath(specifier) : specifier)
    return node.url.pathToFileURL(found).href
  } catch (error) {
    if (folder === undefined) return undefined
    const manifest = JSON.parse(node.fs.readFileSync(node.path.join(folder, 'package.json'), 'utf8')) as {
      readonly exports?: unknown
    }
    const entry = importEntry(manifest.exports, subpath)
    const file = entry === undefined ? undefined : node.path.join(folder, entry)
    if (file !== undefined && node.fs.existsSync(file)) {
      // As an import would: one package behind two links must not be loaded twice.
      return node.url.pathToFileURL(node.fs.realpathSync(file)).href
    }
    throw new StoreError(
      'BACKEND_LOAD_FAILED',
      `The package ${name} is in ${folder}, but ${file ?? `its entry "${subpath}"`} is missing. Install it again, or build it.`,
      { cause: error },
    )
  }
}

/**
 * Looks in the `node_modules` above `base` only. `require.resolve` also looks in `NODE_PATH`, which imports do not, and
 * which the scripts of pnpm point at everything that happens to be installed.
 */
function packageFolder(name: string, base: string, node: NodeModules): string | undefined {
  let directory = node.path.dirname(base.startsWith('file:') ? node.url.fileURLToPath(base) : base)
  for (;;) {
    const folder = node.path.join(directory, 'node_modules', name)
    if (node.fs.existsSync(node.path.join(folder, 'package.json'))) return folder
    const parent = node.path.dirname(directory)
    if (parent === directory) return undefined
    directory = parent
  }
}

function splitSpecifier(specifier: string): [name: string, subpath: string] {
  const parts = specifier.split('/')
  const length = specifier.startsWith('@') ? 2 : 1
  return [parts.slice(0, length).join('/'), ['.', ...parts.slice(length)].join('/')]
}

/** `require.resolve` does not see entries that a package offers to `import` alone, as packages without CommonJS do. */
function importEntry(exports: unknown, subpath: string): string | undefined {
  if (typeof exports !== 'object' || exports === null) return matchCondition(subpath === '.' ? exports : undefined)
  const isMap = Object.keys(exports).some((key) => key.startsWith('.'))
  if (!isMap) return matchCondition(subpath === '.' ? exports : undefined)
  return matchCondition((exports as Record<string, unknown>)[subpath])
}

function matchCondition(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry
  if (typeof entry !== 'object' || entry === null) return undefined
  for (const [condition, value] of Object.entries(entry)) {
    const found = CONDITIONS.has(condition) ? matchCondition(value) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
