import type { BackendDefinition } from '@turnlog/core/backend'

/** The backends that come with this package. Each is loaded only when it is chosen. */
export const defaultBackends = {
  leveldb: (): Promise<{ readonly backend: BackendDefinition }> => import('@turnlog/leveldb-backend'),
  jsonl: (): Promise<{ readonly backend: BackendDefinition }> => import('@turnlog/jsonl-backend'),
} as const

export type DefaultBackend = keyof typeof defaultBackends

/** @returns `undefined` if it does not load: opening a store says why */
export async function defaultBackend(name: DefaultBackend): Promise<BackendDefinition | undefined> {
  const module = await defaultBackends[name]().catch(() => undefined)
  return module?.backend
}

export function isDefaultBackend(choice: unknown): choice is DefaultBackend {
  return typeof choice === 'string' && Object.hasOwn(defaultBackends, choice)
}
