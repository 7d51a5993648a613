import type { Backend } from '../backend/backend.ts'
import type { BackendOptions } from '../backend/backend-definition.ts'
import { isStoreError, StoreError } from '../errors/store-error.ts'
import { checkConfig } from './check-config.ts'
import { nodeModules } from '../runtime/node-modules.ts'
import { isBackend } from '../backend/is-backend.ts'
import { checkContract, isLoadError, loadDefinition, loadFailed } from './load-definition.ts'
import { locateConfig } from './locate-config.ts'
import { defaultBackendName } from './register-backends.ts'
import { parseStoreString } from './parse-store-string.ts'
import type { BackendChoice, StoreConfig } from './store-config.ts'
import type { StoreWarning } from '../runtime/store-warning.ts'

export interface ResolvedBackend {
  /** Not opened yet. */
  readonly backend: Backend
  /** For the caller to report. */
  readonly warnings: readonly StoreWarning[]
  /** The paths are absolute if there is a `configFile`; a fallback stands in place of what it replaced. */
  readonly config: StoreConfig
  /** What to use if opening shows that the backend does not load. */
  fallBack?(error: StoreError): Promise<ResolvedBackend>
}

/**
 * Makes the backend that a configuration asks for. What cannot be had is an error; another backend is used only if
 * `fallback` says so, and only where nothing goes out of sight by it.
 *
 * @throws `INVALID_CONFIG`, `BACKEND_NOT_FOUND`, `BACKEND_LOAD_FAILED`, `CONTRACT_MISMATCH`
 */
export async function resolveBackend(input: StoreConfig | Backend | string): Promise<ResolvedBackend> {
  const given: unknown =
    typeof input === 'string' ? parseStoreString(input) : isBackend(input) ? { backend: input } : input
  checkConfig(given)
  const { config, base } = locateConfig(given)
  const { fallback } = config
  if (fallback === undefined || config.path === undefined) {
    return { backend: await createBackend(config, base), config, warnings: [] }
  }
  const fallBack = (error: StoreError): Promise<ResolvedBackend> => useFallback(config, fallback, base, error)
  try {
    const backend = await createBackend(config, base)
    return { backend, config, warnings: await leftInFallback(config), fallBack }
  } catch (error) {
    if (!isStoreError(error, 'BACKEND_NOT_FOUND') && !isStoreError(error, 'BACKEND_LOAD_FAILED')) throw error
    return await fallBack(error)
  }
}

async function createBackend(choice: BackendChoice | StoreConfig, base: string | undefined): Promise<Backend> {
  const { backend = defaultBackendName(), path, durability, backendOptions } = choice
  if (typeof backend === 'object') {
    checkContract(backend.name, backend.contract)
    return backend
  }
  const options: BackendOptions = {
    ...backendOptions,
    ...(path === undefined ? {} : { path }),
    ...(durability === undefined ? {} : { durability }),
  }
  const name = typeof backend === 'string' ? backend : 'factory'
  const definition = typeof backend === 'string' ? await loadDefinition(backend, base) : { create: backend }
  const created: unknown = await creating(name, () => definition.create(options))
  if (!isBackend(created)) {
    throw new StoreError('BACKEND_LOAD_FAILED', `Backend ${JSON.stringify(name)} made something that is no backend.`)
  }
  checkContract(name, created.contract)
  return created
}

async function creating(name: string, create: () => Backend | Promise<Backend>): Promise<unknown> {
  try {
    return await create()
  } catch (error) {
    if (isStoreError(error)) throw error
    if (isLoadError(error)) throw loadFailed(name, error)
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreError('INVALID_CONFIG', `Backend ${JSON.stringify(name)} refused its options: ${reason}`, {
      cause: error,
    })
  }
}

async function useFallback(
  config: StoreConfig,
  fallback: BackendChoice,
  base: string | undefined,
  error: StoreError,
): Promise<ResolvedBackend> {
  const path = String(config.path)
  if (await holdsStore(path)) {
    const reason = `The fallback is not used, because ${JSON.stringify(path)} is not empty: its sessions would go out of sight.`
    throw new StoreError(error.code, `${error.message} ${reason}`, { cause: error })
  }
  try {
    const backend = await createBackend(fallback, base)
    const { backend: _backend, path: _path, durability: _durability, backendOptions: _options, ...settings } = config
    const message = `Using the fallback backend "${backend.name}". ${error.message}`
    return {
      backend,
      config: { ...settings, ...fallback } as StoreConfig,
      warnings: [{ code: 'FALLBACK_USED', message }],
    }
  } catch (second) {
    const reason = second instanceof Error ? second.message : String(second)
    throw new StoreError(error.code, `${error.message} The fallback failed as well: ${reason}`, {
      cause: new AggregateError([error, second], 'Neither the backend nor its fallback could be made.'),
    })
  }
}

/** The first choice works: sessions that were written while it did not are now out of sight. */
async function leftInFallback({ fallback }: StoreConfig): Promise<StoreWarning[]> {
  const path = fallback?.path
  if (path === undefined || !(await holdsStore(path))) return []
  const message =
    `The backend works again, but sessions were written to its fallback in ${JSON.stringify(path)} meanwhile. ` +
    'Copy them over, or take "fallback" out of the configuration.'
  return [{ code: 'FALLBACK_HOLDS_STORE', message }]
}

/** False only if there is certainly nothing: no such path, or an empty directory. */
async function holdsStore(path: string): Promise<boolean> {
  const node = nodeModules()
  if (node === undefined) return true
  try {
    const directory = await node.fs.promises.opendir(path)
    const entry = await directory.read()
    await directory.close()
    return entry !== null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
