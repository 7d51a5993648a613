/** A backend that is known by name. */
export interface BuiltInBackend {
  /** The package to install; `undefined` if it is part of core. */
  readonly packageName?: string
  /** What has to be given beside the name; `nothing` also means that nothing else is taken. */
  readonly needs: 'path' | 'nothing'
  /** Imports it as core sees it; rejects if it is not there or does not load. */
  load(): Promise<unknown>
}

/** Where core looks first: in a flat layout, and as optional peers in a strict one, backends are visible from here. */
export const CORE_LOCATION: string | undefined = import.meta.url

/**
 * The imports are literal, so that bundlers for servers find them, and have a `catch`, so that bundlers accept that the
 * package may not be there. Bundles for browsers get the other file of this name, without them.
 */
export const builtInBackends: ReadonlyMap<string, BuiltInBackend> = new Map<string, BuiltInBackend>([
  [
    'leveldb',
    {
      packageName: '@turnlog/leveldb-backend',
      needs: 'path',
      // @ts-ignore -- core does not depend on its backends
      load: (): Promise<unknown> => import('@turnlog/leveldb-backend').catch(rethrow),
    },
  ],
  [
    'jsonl',
    {
      packageName: '@turnlog/jsonl-backend',
      needs: 'path',
      // @ts-ignore -- core does not depend on its backends
      load: (): Promise<unknown> => import('@turnlog/jsonl-backend').catch(rethrow),
    },
  ],
  ['memory', { needs: 'nothing', load: (): Promise<unknown> => import('../memory/index.ts') }],
])

function rethrow(error: unknown): never {
  throw error
}
