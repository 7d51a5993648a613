import { StoreError } from '../errors/store-error.ts'
import { nodeModules } from '../runtime/node-modules.ts'
import type { NodeModules } from '../runtime/node-modules.ts'
import type { StoreConfig } from './store-config.ts'

export interface LocatedConfig {
  readonly config: StoreConfig
  /** The file that packages are looked up from: `configFile`, or any in the working directory. */
  readonly base: string | undefined
}

/**
 * Gives every relative path in a configuration its place. Without a `configFile` paths stay as they are, since they are
 * relative to the working directory anyway.
 *
 * @throws `INVALID_CONFIG` if the fallback lies inside the first choice, which would not look empty the next time, or
 *   if the store would be migrated from its own directory
 */
export function locateConfig(config: StoreConfig): LocatedConfig {
  const node = nodeModules()
  if (node === undefined) return { config, base: undefined }
  const { configFile, fallback, migrateFrom, path } = config
  const base =
    configFile === undefined
      ? node.path.join(globalThis.process.cwd(), 'turnlog.config.js')
      : node.path.resolve(configFile.startsWith('file:') ? node.url.fileURLToPath(configFile) : configFile)
  const directory = node.path.dirname(base)
  checkApart(node, directory, path, fallback?.path)
  checkMigration(node, directory, migrateFrom, [path, fallback?.path])
  if (configFile === undefined) return { config, base }
  const locate = (place: string): string => node.path.resolve(directory, place)
  const located = {
    ...config,
    ...(path === undefined ? undefined : { path: locate(path) }),
    ...(migrateFrom === undefined ? undefined : { migrateFrom: locate(migrateFrom) }),
    ...(fallback?.path === undefined ? undefined : { fallback: { ...fallback, path: locate(fallback.path) } }),
  }
  return { config: located as StoreConfig, base }
}

/** A store's own files are no legacy sessions. */
function checkMigration(
  node: NodeModules,
  directory: string,
  migrateFrom: string | undefined,
  places: readonly (string | undefined)[],
): void {
  if (migrateFrom === undefined) return
  const from = node.path.resolve(directory, migrateFrom)
  if (!places.some((place) => place !== undefined && node.path.resolve(directory, place) === from)) return
  throw new StoreError(
    'INVALID_CONFIG',
    `Cannot open the store: option "migrateFrom" ${JSON.stringify(migrateFrom)} is the directory of the store itself. Give the store another "path".`,
  )
}

function checkApart(node: NodeModules, directory: string, path?: string, fallbackPath?: string): void {
  if (path === undefined || fallbackPath === undefined) return
  const way = node.path.relative(node.path.resolve(directory, path), node.path.resolve(directory, fallbackPath))
  const isInside = way === '' || (!node.path.isAbsolute(way) && way.split(node.path.sep)[0] !== '..')
  if (!isInside) return
  throw new StoreError(
    'INVALID_CONFIG',
    `Cannot open the store: option "fallback.path" ${JSON.stringify(fallbackPath)} lies within "path" ${JSON.stringify(path)}. Put it elsewhere.`,
  )
}
