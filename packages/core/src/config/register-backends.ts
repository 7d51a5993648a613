/** Imports a module that exports `backend: BackendDefinition`. */
export type BackendLoader = () => Promise<unknown>

/** Process-wide, because two copies of core in one process (two versions, two bundles) must see the same backends. */
const REGISTRY: symbol = Symbol.for('turnlog.backends')

/**
 * Makes backends available by name to every store of this process, ahead of all other ways to find them. A package
 * that depends on backends calls it, because in a strict layout core itself cannot see them. Nothing is loaded before
 * it is chosen. A later registration of the same name wins.
 *
 * @example registerBackends({ leveldb: () => import('@turnlog/leveldb-backend') })
 */
export function registerBackends(loaders: Readonly<Record<string, BackendLoader>>): void {
  for (const [name, loader] of Object.entries(loaders)) registeredBackends().set(name, loader)
}

export function registeredBackends(): Map<string, BackendLoader> {
  const holder = globalThis as { [REGISTRY]?: Map<string, BackendLoader> }
  return (holder[REGISTRY as never] ??= new Map<string, BackendLoader>() as never)
}
